package stdio

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
)

// write writes a line to the client. A recorded line that was cut off ends when another follows.
func (s *server) write(line []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.cut {
		line = slices.Concat([]byte("\n"), line)
	}
	s.cut = !bytes.HasSuffix(line, []byte("\n"))
	if _, err := s.out.Write(line); err != nil {
		select {
		case s.failed <- fmt.Errorf("write to the client: %w", err):
		default: // it has failed before
		}
	}
}

// reply answers a request with a member: its result or its error.
func (s *server) reply(id, member string) {
	version := `"jsonrpc":"2.0",`
	if s.rec.bare {
		version = ""
	}
	s.write(fmt.Appendf(nil, "{%s\"id\":%s,%s}\n", version, id, member))
}

// refuse answers a request with an error.
func (s *server) refuse(id string, code int, text string) {
	s.reply(id, jsonrpc.ErrorMember(code, text))
}

// line returns a line of the agent with the id and the progress token of the client's request.
func (p *play) line(s *step) []byte {
	id, token := s.answers && p.call.ID != p.turn.call.ID, s.progress && p.call.Token != "" && p.call.Token != p.turn.call.Token
	if !id && !token {
		return s.line
	}
	v, err := fastjson.ParseBytes(s.line)
	if err != nil {
		return s.line // not reached: the line was parsed before
	}
	if id {
		v.Set("id", fastjson.MustParse(p.call.ID))
	}
	if token {
		v.Get("params").Set("progressToken", fastjson.MustParse(p.call.Token))
	}
	return append(emulate.AppendJSON(nil, v), '\n')
}
