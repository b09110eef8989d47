package codexappserver

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
		{dialect.Certain, `> {"method":"turn/start","id":3,"params":{"threadId":"t","input":[]}}`},
		{dialect.Certain, `{"id":2,"result":{"thread":{"id":"t"},"model":"m","modelProvider":"openai"}}`},
		{dialect.Certain, `{"method":"turn/started","params":{"threadId":"t","turn":{"id":"u","status":"inProgress"}}}`},
		{dialect.Certain, `{"method":"item/completed","params":{"threadId":"t","turnId":"u","item":{"type":"agentMessage","id":"i","text":"x"}}}`},
		{dialect.Certain, `{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"i","delta":"x"}}`},
		{dialect.Certain, `{"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"t","turnId":"u","itemId":"i"}}`},
		{dialect.Certain, `{"method":"thread/tokenUsage/updated","params":{"threadId":"t","turnId":"u","tokenUsage":{}}}`},
		{dialect.Likely, `> {"method":"initialize","id":0,"params":{"clientInfo":{"name":"x","version":"1"}}}`},
		{dialect.Likely, `{"id":0,"result":{"userAgent":"x"}}`},
		{dialect.Likely, `> {"method":"thread/start","id":1,"params":{}}`},
		{dialect.Likely, `{"id":3,"result":{"turn":{"id":"u","status":"inProgress","items":[]}}}`},
		{dialect.Possible, `> {"method":"fs/copy","id":4,"params":{}}`},
		{dialect.Likely, `{"method":"account/rateLimits/updated","params":{"rateLimits":{"primary":{"usedPercent":30}}}}`},
		{dialect.Possible, `{"method":"account/rateLimits/updated","params":{"rateLimits":{}}}`},
		{dialect.No, `> {"method":"initialized"}`},
		{dialect.No, `{"method":"error","params":{"message":"x"}}`},
		{dialect.No, `{"jsonrpc":"2.0","method":"turn/start","id":3,"params":{"threadId":"t","input":[]}}`},
		{dialect.No, `{"method":"initialize","id":0,"params":{"protocolVersion":1,"clientInfo":{"name":"x"}}}`},
		{dialect.No, `{"id":1,"method":"Page.navigate","params":{"url":"x"}}`},
		{dialect.No, `{"thread":{"id":"t"},"modelProvider":"openai"}`},
		{dialect.No, `[{"method":"thread/start"}]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}
