package acp

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{}}}`},
		{dialect.Certain, `> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`},
		{dialect.Certain, `> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{},"options":[]}}`},
		{dialect.Likely, `{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}`},
		{dialect.Likely, `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`},
		{dialect.Likely, `> {"jsonrpc":"2.0","id":3,"result":{"outcome":{"outcome":"cancelled"}}}`},
		{dialect.Possible, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{}}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"capabilities":{}}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{},"capabilities":{}}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"x"}}`},
		{dialect.No, `{"jsonrpc":"2.0","method":"session/cancel"}`},
		{dialect.No, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`},
		{dialect.No, `[{"jsonrpc":"2.0"}]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}
