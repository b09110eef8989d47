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
	return fmt.Appendf(b, `{"jsonrpc":"2.0","id":%s,%s}`, id, ErrorMember(code, text))
}

// ErrorMember returns the member of a message that holds an error.
func ErrorMember(code int, text string) string {
	b := fmt.Appendf(nil, `"error":{"code":%d,"message":`, code)
	return string(append(jsonstring.Append(b, text), '}'))
}
