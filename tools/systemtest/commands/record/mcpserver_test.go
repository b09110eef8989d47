package record

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// mcpServer is a server of tools as the Model Context Protocol, version 2025-11-25,
// specifies it: one endpoint, a session that initialize begins, answers as JSON or as
// server-sent events with CRLF, with a priming event, comments and progress.
type mcpServer struct {
	session string
	mu      sync.Mutex
	worked  map[string]time.Duration // for how long a tool worked, by its name
}

// mcpMessage is a JSON-RPC message.
type mcpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func (m *mcpServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked mcpMessage
	body, _ := io.ReadAll(r.Body)
	named := r.Header.Get("Mcp-Session-Id")
	switch err := json.Unmarshal(body, &asked); {
	case r.URL.Path != "/mcp" || r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case err != nil:
		m.json(w, http.StatusBadRequest, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
	case asked.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", m.session)
		m.json(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tools","version":"1"}}}`, asked.ID))
	case named != m.session:
		m.json(w, http.StatusNotFound, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	case len(asked.ID) == 0: // a notification
		w.WriteHeader(http.StatusAccepted)
	case asked.Method == "tools/list":
		m.json(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"mcp_slow","inputSchema":{"type":"object"}}]}}`, asked.ID))
	case asked.Method == "tools/call":
		m.call(w, &asked)
	default:
		m.json(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, asked.ID))
	}
}

func (m *mcpServer) json(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// call executes a tool. It measures how long the slow one works before its answer.
func (m *mcpServer) call(w http.ResponseWriter, asked *mcpMessage) {
	start := time.Now()
	result := `{"content":[{"type":"text","text":"done"}],"isError":false}`
	switch asked.Params.Name {
	case "mcp_fast":
	case "mcp_failing":
		result = `{"content":[{"type":"text","text":"no such file"}],"isError":true}`
	case "mcp_slow":
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(format string, args ...any) {
			fmt.Fprintf(w, format, args...)
			_ = http.NewResponseController(w).Flush()
		}
		say("id: 1\r\nretry: 3000\r\ndata: \r\n\r\n")
		for i := range 3 {
			time.Sleep(100 * time.Millisecond) // the tool works; its duration is compared
			say(": ping\r\n\r\n")
			say("event: message\r\nid: %d\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d,\"total\":3,\"message\":\"step %d\"}}\r\n\r\n",
				i+2, asked.Params.Meta.ProgressToken, i+1, i+1)
		}
		m.mu.Lock()
		m.worked[asked.Params.Name] = time.Since(start)
		m.mu.Unlock()
		say("event: message\r\nid: 5\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\r\n\r\n", asked.ID, result)
		return
	default:
		m.json(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unknown tool: %s"}}`, asked.ID, asked.Params.Name))
		return
	}
	m.json(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result))
}
