package bench

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Home is what a generated home contains, and what a correct reader of it counts.
type Home struct {
	Totals
	Sessions     int
	Lines, Bytes uint64
}

// homeLine is a line of a file of Claude Code.
type homeLine struct {
	Parent    *string     `json:"parentUuid"`
	Sidechain bool        `json:"isSidechain"`
	UserType  string      `json:"userType"`
	Folder    string      `json:"cwd"`
	Session   string      `json:"sessionId"`
	Version   string      `json:"version"`
	Branch    string      `json:"gitBranch"`
	Type      string      `json:"type"`
	Message   homeMessage `json:"message"`
	ID        string      `json:"uuid"`
	Time      string      `json:"timestamp"`
	Request   string      `json:"requestId,omitempty"`
	Result    *homeResult `json:"toolUseResult,omitempty"`
	Agent     string      `json:"agentId,omitempty"`
}

// homeTime is the layout of the time of a line.
const homeTime = "2006-01-02T15:04:05.000Z"

type homeResult struct {
	Duration int `json:"durationMs"`
}

type homeMessage struct {
	ID      string     `json:"id,omitempty"`
	Type    string     `json:"type,omitempty"`
	Role    string     `json:"role"`
	Model   string     `json:"model,omitempty"`
	Content any        `json:"content"`
	Stop    *nothing   `json:"stop_reason,omitempty"`
	Usage   *homeUsage `json:"usage,omitempty"`
}

// nothing is null in JSON.
type nothing struct{}

// MarshalJSON returns null.
func (*nothing) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

type homeUsage struct {
	Input      int    `json:"input_tokens"`
	CacheWrite int    `json:"cache_creation_input_tokens"`
	CacheRead  int    `json:"cache_read_input_tokens"`
	Output     int    `json:"output_tokens"`
	Tier       string `json:"service_tier"`
}

type homeBlock struct {
	Type      string            `json:"type"`
	Text      string            `json:"text,omitempty"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name,omitempty"`
	Input     *homeInput        `json:"input,omitempty"`
	ToolUseID string            `json:"tool_use_id,omitempty"`
	Content   any               `json:"content,omitempty"`
	Error     *bool             `json:"is_error,omitempty"`
	Source    map[string]string `json:"source,omitempty"`
}

type homeInput struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// homeGenerator generates the files.
type homeGenerator struct {
	random *rand.Rand
	words  []string
	made   Home
}

// GenerateHome writes files of Claude Code below .claude/projects in a directory, until they have
// this number of bytes or a little more. Their shape is that of real ones: turns of a user, answers
// in several lines under one message id with growing usage, results of tools of 2 to 200 KB,
// images, files of sub-agents, and resumed sessions whose second files repeat the lines of the
// first. The same number produces the same files.
func GenerateHome(size int, dir string) (*Home, error) {
	g := &homeGenerator{random: rand.New(rand.NewPCG(11, 11))}
	g.words = vocabulary(g.random, 6000, "etaoinshrdlucmfwypvbgk")
	start := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for number := 1; g.made.Bytes < uint64(size); number++ {
		project := fmt.Sprintf("-home-dev-p%d", number%17)
		at, id := start.Add(time.Duration(number)*13*time.Minute), g.uuid()
		base := filepath.Join(dir, ".claude", "projects", project)
		lines := g.session(project, id, at, "")
		g.made.Sessions++
		if err := g.save(filepath.Join(base, id+".jsonl"), lines); err != nil {
			return nil, err
		}
		if number%9 == 0 {
			agent := g.hex(8)
			path := filepath.Join(base, id, "subagents", "agent-"+agent+".jsonl")
			if err := g.save(path, g.session(project, id, at.Add(time.Minute), agent)); err != nil {
				return nil, err
			}
		}
		if number%15 == 0 {
			again := g.uuid()
			for i := range lines {
				lines[i].Session = again
			}
			lines = append(lines, g.session(project, again, at.Add(2*time.Hour), "")...)
			g.made.Sessions++
			if err := g.save(filepath.Join(base, again+".jsonl"), lines); err != nil {
				return nil, err
			}
		}
	}
	return &g.made, nil
}

func (g *homeGenerator) between(low, high int) int { return low + g.random.IntN(high-low+1) }

func (g *homeGenerator) choice(list ...string) string { return list[g.random.IntN(len(list))] }

func (g *homeGenerator) bytes(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(g.random.Uint32())
	}
	return data
}

func (g *homeGenerator) uuid() string {
	id := uuid.UUID(g.bytes(16))
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4
	return id.String()
}

// hex returns n hexadecimal digits, at most 32.
func (g *homeGenerator) hex(n int) string { return strings.ReplaceAll(g.uuid(), "-", "")[:n] }

// prose returns a text of about n characters.
func (g *homeGenerator) prose(n int) string {
	list := make([]string, max(1, n/7))
	for i := range list {
		list[i] = g.choice(g.words...)
	}
	return strings.Join(list, " ")
}

// listing returns lines of about n characters in all, as a tool prints them.
func (g *homeGenerator) listing(n int) string {
	var text strings.Builder
	for text.Len() < n {
		folder, sub, name := g.choice(g.words...), g.choice(g.words...), g.choice(g.words...)
		fmt.Fprintf(&text, "%5d\t%s/%s/%s.go: %s\n", g.between(1, 999), folder, sub, name, g.prose(60))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// session returns the lines of one file; agent is the id of a sub-agent, or "".
func (g *homeGenerator) session(project, id string, at time.Time, agent string) (lines []homeLine) {
	model := g.choice("claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5-20251001")
	add := func(kind string, m homeMessage, request string, result *homeResult) {
		var parent *string
		if n := len(lines); n > 0 {
			before := lines[n-1].ID
			parent = &before
		}
		at = at.Add(time.Duration(g.between(40, 9000)) * time.Millisecond)
		lines = append(lines, homeLine{
			Parent: parent, Sidechain: agent != "", UserType: "external", Folder: "/home/dev/" + project, Session: id,
			Version: "2.1.318", Branch: "main", Type: kind, Message: m, ID: g.uuid(), Time: at.Format(homeTime),
			Request: request, Result: result, Agent: agent,
		})
	}
	for range g.between(1, 6) {
		add("user", homeMessage{Role: "user", Content: g.prose(g.between(40, 900))}, "", nil)
		for step := range g.between(1, 12) {
			last := step > 0 && g.random.Float64() < 0.25
			tool := "toolu_" + g.hex(24)
			g.answer(model, tool, last, add)
			if last {
				break
			}
			failed := g.random.Float64() < 0.06
			add("user", homeMessage{Role: "user", Content: []homeBlock{
				{Type: "tool_result", ToolUseID: tool, Content: g.toolResult(), Error: &failed},
			}}, "", &homeResult{g.between(3, 9000)})
			g.made.Tools++
			if failed {
				g.made.ToolErrors++
			}
		}
	}
	return lines
}

// answer adds the lines of one call of a model: a text and, unless it is the last of its turn, the
// call of a tool. Their usages grow; the last one counts.
func (g *homeGenerator) answer(model, tool string, last bool, add func(string, homeMessage, string, *homeResult)) {
	id := g.hex(24)
	usage := homeUsage{g.between(2, 40), g.between(0, 6000), g.between(0, 150_000), 1, "standard"}
	output := g.between(30, 3000)
	blocks := []homeBlock{{Type: "text", Text: g.prose(g.between(50, 1500))}}
	if !last {
		blocks = append(blocks, homeBlock{
			Type: "tool_use", ID: tool, Name: g.choice("Bash", "Read", "Grep", "Edit", "WebFetch"),
			Input: &homeInput{g.prose(80), g.prose(30)},
		})
	}
	for i, b := range blocks {
		usage.Output = max(1, output*(i+1)/len(blocks))
		stated := usage
		add("assistant", homeMessage{
			ID: "msg_" + id, Type: "message", Role: "assistant", Model: model, Content: []homeBlock{b},
			Stop: &nothing{}, Usage: &stated,
		}, "req_"+id, nil)
	}
	g.made.Calls++
	g.made.Input += int64(usage.Input)
	g.made.CacheRead += int64(usage.CacheRead)
	g.made.CacheWrite += int64(usage.CacheWrite)
	g.made.Output += int64(usage.Output)
}

// toolResult returns the content of a tool's result: a text of 2 to 200 KB, log-normal, and one
// time in 40 an image.
func (g *homeGenerator) toolResult() any {
	text := g.listing(int(min(200e3, max(2e3, math.Exp(8.8+1.1*g.random.NormFloat64())))))
	if g.random.Float64() >= 0.025 {
		return text
	}
	image := base64.StdEncoding.EncodeToString(g.bytes(g.between(20_000, 160_000)))
	return []homeBlock{
		{Type: "text", Text: "took a screenshot"},
		{Type: "image", Source: map[string]string{"type": "base64", "media_type": "image/png", "data": image}},
	}
}

// save writes the lines to a file, which is as old as its last line: sync attributes lines that
// several files have to the oldest of them.
func (g *homeGenerator) save(path string, lines []homeLine) error {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	for i := range lines {
		if err := to.Encode(&lines[i]); err != nil {
			return fmt.Errorf("generate %s: %w", path, err)
		}
	}
	g.made.Lines += uint64(len(lines))
	g.made.Bytes += uint64(text.Len())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("generate %s: %w", path, err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		return err
	}
	at, err := time.Parse(homeTime, lines[len(lines)-1].Time)
	if err != nil {
		return fmt.Errorf("generate %s: %w", path, err)
	}
	return os.Chtimes(path, at, at)
}
