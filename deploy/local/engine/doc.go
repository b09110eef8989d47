// Package engine runs a real ClickHouse as a child process of tapedeck.
//
// What runs is either the ClickHouse library (libchdb.so, which install.sh
// fetches) or a clickhouse binary from PATH; [Find] says which. In both cases
// the child is tapedeck's own executable, started with a hidden first
// argument: main, and TestMain in tests, call [RunIfChild] before anything
// else. A child of its own keeps the engine's crashes, its memory and its
// signal handlers out of the recorder.
//
// The library holds clickhouse-local, not the server program. clickhouse-local
// knows SYSTEM START LISTEN, after which clients talk to it over the native
// protocol as to any server. Two things had to be bent for that:
//
//   - It must believe that it has a terminal (see pseudoTerminal). Without one
//     it ends itself on any exception that leaves a connection's thread, and a
//     wrong password, an unknown database or a stray byte on the port is such
//     an exception.
//   - Its own session is always the user "default" without a password. That
//     user may start listening and nothing else, and has one session only,
//     which the engine itself holds before it listens; so nobody can come in
//     as "default". Clients are the user [User] with a password made anew at
//     every [Start].
//
// No orphans: the child reads its standard input, a pipe that only the parent
// holds, and ends at end of file. The kernel closes the pipe however the
// parent dies. Linux's parent-death signal is not used for it, because it is
// tied to the parent's thread and not to the process: it fires when the Go
// runtime retires the thread that happened to fork.
package engine
