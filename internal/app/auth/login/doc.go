// Package login lets users log in with a browser, either through an OpenID provider (authorization
// code with PKCE) or with a token. A login is an entry in a key-value bucket of JetStream; the
// browser's cookie holds the random text of the entry. docs/adr/0015-browsers.md explains the
// design.
package login
