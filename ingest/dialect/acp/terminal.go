package acp

import (
	"encoding/base64"
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// terminal is a command that the client runs for the agent, as part of a tool call.
type terminal struct{ id, tool string }

// terminalLimit bounds the terminals that are followed.
const terminalLimit = 64

// embed records that a terminal's output belongs to a tool call.
func (s *session) embed(id, tool []byte) {
	for i := range s.terminals {
		if s.terminals[i].id == string(id) {
			s.terminals[i].tool = string(tool)
			return
		}
	}
	s.terminals = dialect.AppendRecent(s.terminals, terminal{string(id), string(tool)}, terminalLimit)
}

// ofTerminal returns the call to which a terminal belongs, or nil.
func (s *session) ofTerminal(id string) *model.Tool {
	for _, t := range s.terminals {
		if t.id == id {
			return s.OpenTool([]byte(t.tool))
		}
	}
	return nil
}

// terminalRequest keeps the terminal that a request is about.
func (d *decoder) terminalRequest(m *message) {
	if r := d.asks(m); r != nil && d.present != nil {
		r.about = string(m.GetStringBytes("params", "terminalId"))
	} else {
		d.Unknown()
	}
}

// terminalAnswer reads the output of a terminal, and how its command ended.
func (s *session) terminalAnswer(r *request, m *message) {
	tool := s.ofTerminal(r.about)
	if tool == nil {
		return
	}
	result := m.Get("result")
	if output := result.GetStringBytes("output"); len(output) > 0 {
		s.SetOutput(tool, output)
	}
	exit := result
	if r.method == "terminal/output" {
		exit = result.Get("exitStatus")
	}
	if code := exit.Get("exitCode"); dialect.IsNumber(code) {
		callOf(tool).notes.set("exit_code", []byte(strconv.Itoa(code.GetInt())))
		s.describe(tool)
	}
}

// terminalOutput reads a piece of a terminal's output, of version 2: bytes in base64.
func (s *session) terminalOutput(u *update) {
	tool := s.ofTerminal(string(u.GetStringBytes("terminalId")))
	if output, err := base64.StdEncoding.DecodeString(string(u.GetStringBytes("data"))); tool != nil && err == nil {
		s.Print(tool, output)
	}
}
