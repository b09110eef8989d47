// Package clients has tests in which clients that others wrote talk to
// recordings: the libraries of model providers, EventSource in Node.js and in a
// browser, a WebSocket, a test runner. The program is the real one, run as a
// process of its own; the clients are the npm packages of package.json, driven by
// the scripts beside it.
//
// Without Node.js 20 and npm, or without a browser, the tests say so and are
// skipped; where the environment sets CI they fail.
package clients
