// Package encryption tests TLS with real sockets: between clients and servers, and between
// servers, NATS and ClickHouse.
package encryption
