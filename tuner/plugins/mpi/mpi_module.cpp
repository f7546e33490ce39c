// Passes messages between ranks by MPI's point-to-point calls. Nothing here waits for another rank
// but start, finish, and the arrival of a message that has been announced.

#include <mpi.h>

#include <limits>
#include <list>
#include <string>
#include <vector>

#include "tuner/plugin/abi_ranks.h"

namespace {

constexpr int kTag = 0;

// MPI copies nothing: what is being sent stays here until it is.
struct Sending {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

// MPI itself is one for each process, and so is this.
struct State {
  std::list<Sending> sending;
  std::vector<char> received;
  std::string text;
};

State& state() {
  static State one;
  return one;
}

// Null for no error.
const char* sentence(int error) {
  if (error == MPI_SUCCESS) return nullptr;
  char text[MPI_MAX_ERROR_STRING] = "";
  int size = 0;
  MPI_Error_string(error, text, &size);
  state().text.assign(text, static_cast<std::size_t>(size));
  return state().text.c_str();
}

// Only the thread that starts MPI ever calls it, which is all that MPI_THREAD_FUNNELED asks: no
// library has to lock anything. A rank that is gone must not end this one.
const char* start() {
  int level = 0;
  if (const char* failed =
          sentence(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level))) {
    return failed;
  }
  if (level < MPI_THREAD_FUNNELED) return "this MPI library does not allow threads beside its own";
  return sentence(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

int count() {
  int number = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  return number;
}

const char* node() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int size = 0;
  MPI_Get_processor_name(name, &size);
  state().text.assign(name, static_cast<std::size_t>(size));
  return state().text.c_str();
}

const char* send(int to, const void* bytes, std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) return "it is too large";
  Sending& one = state().sending.emplace_back();
  one.bytes.assign(static_cast<const char*>(bytes), size);
  const char* failed = sentence(MPI_Isend(one.bytes.data(), static_cast<int>(size), MPI_BYTE, to,
                                          kTag, MPI_COMM_WORLD, &one.request));
  if (failed != nullptr) state().sending.pop_back();
  return failed;
}

// Forgets messages that were sent. Those that failed are forgotten, too: their receivers are gone.
void let_go_on() {
  state().sending.remove_if([](Sending& one) {
    int done = 0;
    return MPI_Test(&one.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  });
}

int receive(const void** bytes, std::size_t* size) {
  let_go_on();
  int there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) return -1;
  int length = 0;
  if (there == 0 || MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS) return -1;
  std::vector<char>& buffer = state().received;
  buffer.resize(static_cast<std::size_t>(length));
  const int failed = MPI_Recv(buffer.data(), length, MPI_BYTE, status.MPI_SOURCE, kTag,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (failed != MPI_SUCCESS) return -1;
  *bytes = buffer.data();
  *size = buffer.size();
  return status.MPI_SOURCE;
}

std::size_t unsent() { return state().sending.size(); }

void finish() { MPI_Finalize(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const tuner_ranks tuner_ranks_v1 = {
    sizeof(tuner_ranks), start, rank, count, node, send, receive, unsent, finish};
