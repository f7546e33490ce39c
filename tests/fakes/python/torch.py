"""Stands in for PyTorch: tensors of one or two dimensions on the CPU, with as much as tuner.tune() asks of them, and with what
its users change in place: shape, strides, memory, requires_grad."""

import math
import operator

__version__ = "0"
float64, float32, bool_ = "torch.float64", "torch.float32", "torch.bool"


class Tensor:
    is_cuda = False
    is_leaf = True
    grad = None
    device = "cpu"

    def __init__(self, elements, shape=None, dtype=float64):
        self._elements, self.dtype = list(elements), dtype
        self._shape = tuple(shape or (len(self._elements),))
        self._requires_grad = False

    shape = property(lambda self: self._shape)
    requires_grad = property(lambda self: self._requires_grad)
    __dict__ = property(lambda self: {})  # of attributes that a user sets

    def __reduce__(self):
        return Tensor, (self._elements, self._shape, self.dtype)

    def _make(self, elements, dtype=None):
        return Tensor(elements, self._shape, dtype or self.dtype)

    def _writable(self):
        if self._requires_grad:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")

    # what is asked
    def stride(self):
        return (1,) if len(self._shape) == 1 else (self._shape[1], 1)

    def data_ptr(self):
        return id(self._elements)

    def storage_offset(self):
        return 0

    def is_conj(self):
        return False

    is_neg = is_complex = is_conj

    def is_floating_point(self):
        return self.dtype != bool_

    def is_contiguous(self):
        return False  # so it is pickled

    def numel(self):
        return len(self._elements)

    def element_size(self):
        return 8

    # what is made of it
    def detach(self):
        return self

    cpu = detach

    def to(self, _):
        return self

    def clone(self):
        return self._make(self._elements)

    def contiguous(self):
        return self

    def reshape(self, *_):
        return Tensor(self._elements, None, self.dtype)

    def __getitem__(self, place):
        found = self._elements[place]
        return Tensor(found, None, self.dtype) if isinstance(place, slice) else Tensor([found])

    def __setitem__(self, place, value):
        self._writable()
        self._elements[place] = value

    def __len__(self):
        return self._shape[0]

    def item(self):
        return self._elements[0]

    __float__ = __int__ = __bool__ = lambda self: self.item()

    def fill_(self, value):
        self._writable()
        self._elements[:] = [value] * len(self._elements)

    def copy_(self, other):
        self._writable()
        if self._shape != other.shape:
            raise RuntimeError(f"the sizes {self._shape} and {other.shape} do not match")
        self._elements[:] = other._elements

    # what a user does to it in place
    def requires_grad_(self):
        self._requires_grad = True

    def resize_(self, *shape):
        self._shape, self._elements = shape, (self._elements + [0.0] * math.prod(shape))[:math.prod(shape)]

    def t_(self):
        self._shape = self._shape[::-1]

    def set_(self, other):
        self._elements, self._shape = other._elements, other._shape

    # arithmetic
    def _by(self, operation, other, dtype=None):
        others = other._elements if isinstance(other, Tensor) else [other] * len(self._elements)
        return self._make(map(operation, self._elements, others), dtype)

    def abs(self):
        return self._make(map(abs, self._elements))

    def isfinite(self):
        return self._make(map(math.isfinite, self._elements), bool_)

    def __invert__(self):
        return self._make(map(operator.not_, self._elements), bool_)

    def all(self):
        return Tensor([all(self._elements)])

    def any(self):
        return Tensor([any(self._elements)])

    def max(self):
        return Tensor([max(self._elements)])

    def nonzero(self):
        return Tensor([at for at, one in enumerate(self._elements) if one])


for _name in ("eq", "ne", "le", "and", "or"):
    setattr(Tensor, f"__{_name}__", lambda self, other, _of=getattr(operator, f"__{_name}__"): self._by(_of, other, bool_))
for _name in ("add", "sub", "mul"):
    setattr(Tensor, f"__{_name}__", lambda self, other, _of=getattr(operator, f"__{_name}__"): self._by(_of, other))
Tensor.__radd__, Tensor.__rmul__, Tensor.__hash__ = Tensor.__add__, Tensor.__mul__, None
