// Package clients tests recordings with third-party clients:
// the libraries of model providers, EventSource in Node.js and in a
// browser, a WebSocket, a test runner. The program is the real one, run as a
// separate process; the clients are the npm packages of package.json, run by
// the scripts beside it.
//
// Without Node.js 20 and npm, or without a browser, the tests are
// skipped with the reason; if the environment sets CI they fail.
package clients
