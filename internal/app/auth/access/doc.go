// Package access decides who may do what on a server: tokens, the principals that they
// stand for, their tenants and scopes.
//
// Tokens are kept in a key-value bucket of JetStream. Every server watches the bucket and
// answers from its copy, so a token that is revoked on one server is refused on all of
// them as soon as the change arrives. docs/adr/0012-tokens.md has the reasons.
package access
