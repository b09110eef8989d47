// Package engine runs a real ClickHouse as a child process of tapedeck.
//
// The child runs either the ClickHouse library (libchdb.so, which install.sh
// fetches) or a clickhouse binary from PATH; [Find] decides which. In both cases
// the child is tapedeck's own executable, started with a hidden first
// argument: main, and TestMain in tests, call [RunIfChild] before anything
// else. A separate process keeps the engine's crashes, memory and
// signal handlers out of the recorder.
//
// The library contains clickhouse-local, not the server program. clickhouse-local
// supports SYSTEM START LISTEN, after which clients connect to it over the native
// protocol as to any server. This requires three workarounds:
//
//   - Its standard input must be a terminal (see pseudoTerminal). Otherwise
//     it exits on any exception that leaves a connection's thread, and a
//     wrong password, an unknown database or a stray byte on the port causes such
//     an exception.
//   - Its own session is always the user "default" without a password. That
//     user may only start listening, and is limited to one session,
//     which the engine itself opens before it listens; so no client can connect
//     as "default". Clients use the user [User] with a new password at
//     every [Start].
//   - It does not make the threads that write backups to S3: see preparePools.
//
// No orphans: the child reads its standard input, a pipe that only the parent
// holds, and ends at end of file. The kernel closes the pipe however the
// parent dies. Linux's parent-death signal is not used for it, because it is
// tied to the parent's thread and not to the process: it fires when the Go
// runtime retires the thread that happened to fork.
package engine
