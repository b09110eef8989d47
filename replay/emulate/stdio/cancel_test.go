package stdio

import "testing"

// The recorded client cancelled the prompt while it was asked for a permission.
const cancelled = `
	0 > {."id":0,"method":"session/new","params":{"cwd":"/a"}}
	10 < {."id":0,"result":{"sessionId":"s1"}}
	100 > {."id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
	200 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":1}}}
	300 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
	500 > {."method":"session/cancel","params":{"sessionId":"s1"}}
	501 > {."id":0,"result":{"outcome":{"outcome":"cancelled"}}}
	520 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":2}}}
	530 < {."id":1,"result":{"stopReason":"cancelled"}}
`

func TestCancelled(t *testing.T) {
	for name, test := range map[string]struct{ client, want string }{
		"as recorded": {`
			0 > {."id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
			900 > {."method":"session/cancel","params":{"sessionId":"s1"}}
			950 > {."id":0,"result":{"outcome":{"outcome":"cancelled"}}}
		`, `
			100 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":1}}}
			200 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
			969 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":2}}}
			979 < {."id":1,"result":{"stopReason":"cancelled"}}
		`},
		"before the agent asked": {`
			0 > {."id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
			150 > {."method":"session/cancel","params":{"sessionId":"s1"}}
		`, `
			100 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":1}}}
			170 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":2}}}
			180 < {."id":1,"result":{"stopReason":"cancelled"}}
		`},
		"never": {`
			0 > {."id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
			400 > {."id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
		`, `
			100 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":1}}}
			200 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
			419 < {."method":"session/update","params":{"sessionId":"s1","update":{"n":2}}}
			429 < {."id":1,"result":{"stopReason":"cancelled"}}
		`},
	} {
		t.Run(name, func(t *testing.T) {
			h := talk(t, tapeOf(t, cancelled), Options{}, test.client)
			h.hears(t, test.want)
		})
	}
}

// A turn that the recorded client let run ends as its protocol says.
func TestCancelEndsTurn(t *testing.T) {
	const codex = `
		0 > {"id":0,"method":"turn/start","params":{"threadId":"t1","input":[]}}
		10 < {"id":0,"result":{"turn":{"id":"u1","status":"inProgress"}}}
		20 < {"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","status":"inProgress"}}}
		500 < {"method":"item/agentMessage/delta","params":{"threadId":"t1","turnId":"u1","delta":"a"}}
		600 < {"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"completed"}}}
	`
	const tool = `
		0 > {."id":0,"method":"tools/call","params":{"name":"wait"}}
		500 < {."id":0,"result":{"content":[]}}
	`
	for name, test := range map[string]struct{ recorded, client, want string }{
		"ACP": {prompted, `
			0 > {."id":5,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
			70 > {."method":"session/cancel","params":{"sessionId":"s1"}}
		`, `
			50 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":1}}}
			70 < {."id":5,"result":{"stopReason":"cancelled"}}
		`},
		"ACP, a request": {prompted, `
			0 > {."id":5,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
			20 > {."method":"$/cancel_request","params":{"requestId":5}}
		`, `20 < {."id":5,"error":{"code":-32800,"message":"Request cancelled"}}`},
		"MCP": {tool, `
			0 > {."id":5,"method":"tools/call","params":{"name":"wait"}}
			20 > {."method":"notifications/cancelled","params":{"requestId":5}}
			600 end
		`, ``},
		"MCP, of another request": {tool, `
			0 > {."id":5,"method":"tools/call","params":{"name":"wait"}}
			20 > {."method":"notifications/cancelled","params":{"requestId":6}}
		`, `500 < {."id":5,"result":{"content":[]}}`},
		"Codex": {codex, `
			0 > {"id":5,"method":"turn/start","params":{"threadId":"t1","input":[]}}
			100 > {"id":6,"method":"turn/interrupt","params":{"threadId":"t1","turnId":"u1"}}
		`, `
			10 < {"id":5,"result":{"turn":{"id":"u1","status":"inProgress"}}}
			20 < {"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","status":"inProgress"}}}
			100 < {"id":6,"result":{}}
			100 < {"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"interrupted"}}}
		`},
		"nothing runs": {codex, `0 > {"id":6,"method":"turn/interrupt","params":{"threadId":"t1","turnId":"u1"}}`,
			`0 < {"id":6,"error":{"code":-32601,"message":"Session \"session\" has no turn/interrupt recorded, only turn/start."}}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := talk(t, tapeOf(t, test.recorded), Options{}, test.client)
			h.hears(t, test.want)
		})
	}
}
