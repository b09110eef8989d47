// Package h2c makes servers accept HTTP/2 without TLS.
package h2c

import "net/http"

// Protocols returns HTTP/1 and HTTP/2 for an http.Server, the latter also without TLS, which clients
// begin with prior knowledge (RFC 9113, section 3.3) as the AWS SDK for JavaScript does. A request
// that asks for the upgrade to h2c is answered by HTTP/1.1: RFC 9113 has no such upgrade any more.
func Protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}
