package jsonrpc

import (
	"fmt"

	"tapedeck/internal/jsonstring"
)

// Error codes of JSON-RPC 2.0.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
)

// AppendError appends the error that answers the request with an id, which is JSON.
func AppendError(b []byte, id string, code int, text string) []byte {
	b = fmt.Appendf(b, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":`, id, code)
	return append(jsonstring.Append(b, text), "}}"...)
}
