package mcp

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

// Messages of other protocols over JSON-RPC do not match.
func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, "head POST /mcp HTTP/1.1|Mcp-Session-Id: [redacted]"},
		{dialect.Certain, "head POST /mcp HTTP/1.1|MCP-Protocol-Version: 2026-07-28"},
		{dialect.Certain, "head HTTP/1.1 200 OK|mcp-session-id: x"},
		{dialect.No, "head POST /mcp HTTP/1.1|Accept: application/json, text/event-stream"},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`},
		{dialect.Certain, `[{"jsonrpc":"2.0","id":0,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}]`},
		{dialect.Likely, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{dialect.Likely, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}`},
		{dialect.Likely, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}`},
		{dialect.Likely, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`},
		{dialect.No, `{"method":"tools/call","params":{"name":"x"}}`},
		{dialect.No, `[]`},
		// A language server.
		{dialect.No, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"rootUri":"file:///","capabilities":{},"clientInfo":{"name":"vim"}}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{},"serverInfo":{"name":"gopls"}}}`},
		{dialect.No, `{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"begin"}}}`},
		// The Agent Client Protocol.
		{dialect.No, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{}},"clientInfo":{"name":"zed"}}}`},
		{dialect.No, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c"}}}`},
		// Codex' app server.
		{dialect.No, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"c","version":"1"}}}`},
		{dialect.No, `{"jsonrpc":"2.0","method":"item/started","params":{"item":{"type":"mcpToolCall"}}}`},
		// A2A.
		{dialect.No, `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"role":"user","parts":[]}}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"working"}}}`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}
