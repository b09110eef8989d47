package clients

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// loomServer returns an agent that speaks Loom's WebSocket protocol: its runs say
// what they were asked, and call a tool.
func loomServer(t *testing.T) (address string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // it has been answered
		}
		defer c.CloseNow()
		for run := 1; ; {
			_, request, err := c.Read(r.Context())
			if err != nil {
				return
			}
			var asked struct{ Type, ID, Message string }
			if json.Unmarshal(request, &asked) != nil {
				return
			}
			answers := []string{loomTools(asked.ID)}
			if asked.Type == "run" {
				answers = loomRun(fmt.Sprintf("run-%d", run), asked.Message)
				run++
			}
			for _, a := range answers {
				if c.Write(r.Context(), websocket.MessageText, []byte(a)) != nil {
					return
				}
			}
		}
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http") + "/"
}

const loomReadTool = `{"name":"read","description":"Reads a file: \"its\" text.","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`

func loomTools(id string) string {
	return fmt.Sprintf(`{"type":"tools_list","id":%q,"tools":[%s,{"name":"bash","input_schema":{"type":"object"}}]}`, id, loomReadTool)
}

// loomRun returns a run's messages. White space and escapes are as no encoder of ours
// would write them.
func loomRun(id, message string) (list []string) {
	event := func(members string) {
		n := len(list) + 1
		list = append(list, fmt.Sprintf(`{"type":"run_stream_event", "id":%q, "event":{"session_id":%q,"node_id":"think-0","event_id":%d,%s}}`, id, id, n, members))
	}
	event(fmt.Sprintf(`"type":"run_start","run_id":%q,"message":%q,"agent":"react"`, id, message))
	event(`"type":"node_enter","id":"think"`)
	event(`"type":"tool_call","call_id":"c1","name":"read","arguments":{"path":"a.txt"}`)
	event(`"type":"tool_end","call_id":"c1","name":"read","result":"h\u00e9llo \u2028 ok","is_error":false`)
	for i, chunk := range strings.SplitAfter("You said: "+message, " ") {
		event(fmt.Sprintf(`"type":"message_chunk","content":%q,"id":"think","n":%d`, chunk, i))
	}
	event(`"type":"usage","prompt_tokens":10,"completion_tokens":4,"total_tokens":14`)
	event(`"type":"node_exit","id":"think","result":"Ok"`)
	return append(list, fmt.Sprintf(
		`{"type":"run_end","id":%q,"reply":%q,"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14},"session_id":%q,"event_id":%d}`,
		id, "You said: "+message, id, len(list)+1))
}
