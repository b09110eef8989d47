// Package clients tests recordings with third-party clients: the libraries of model providers,
// EventSource in Node.js and in a browser, a WebSocket, and a test runner. The tapedeck program
// runs as a separate process; the clients are the npm packages of package.json, run by the scripts
// in this directory.
//
// Without Node.js 20 and npm, or without a browser, the tests are skipped with the reason; if the
// environment variable CI is set, they fail.
package clients
