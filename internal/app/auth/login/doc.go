// Package login lets users log in in a browser: by an OpenID provider (authorization code with
// PKCE), or by a token. A login is an entry in a key-value bucket of JetStream, whose random text
// is in a cookie. docs/adr/0015-browsers.md explains the design.
package login
