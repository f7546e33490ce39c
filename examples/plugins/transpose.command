./transpose {N} {TILE} {ORDER}
