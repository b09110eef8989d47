package bench

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

var words = strings.Fields("the agent reads file and then writes a summary of tool output with tokens and latency")

// Generate writes at least n Loom frames (NDJSON with the full envelope) to a file: whole sessions
// of two to six steps of thinking and acting, with about 136 bytes per frame. The same n produces
// the same file.
func Generate(n int, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("generate frames: %w", err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	g := &generator{out: bufio.NewWriterSize(f, 1<<20), random: rand.New(rand.NewPCG(7, 7))}
	for session := 1; g.frames < n; session++ {
		g.session(session)
	}
	return g.out.Flush()
}

type generator struct {
	out     *bufio.Writer
	random  *rand.Rand
	frames  int
	number  int // of the session
	eventID int
	node    string
}

func (g *generator) between(low, high int) int { return low + g.random.IntN(high-low+1) }

func (g *generator) word() string { return words[g.random.IntN(len(words))] }

func (g *generator) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = g.word()
	}
	return strings.Join(list, " ")
}

// emit writes one frame; format and args produce its members after the envelope.
func (g *generator) emit(format string, args ...any) {
	g.eventID++
	g.frames++
	fmt.Fprintf(g.out, `{"session_id":"sess-%06d","node_id":"%s","event_id":%d,`, g.number, g.node, g.eventID)
	fmt.Fprintf(g.out, format, args...)
	g.out.WriteString("}\n") // Flush returns an earlier error
}

func (g *generator) session(number int) {
	g.number, g.eventID, g.node = number, 0, "run-think-0"
	g.emit(`"type":"run_start","run_id":"run-%d","message":"%s","agent":"react"`, number, g.words(8))
	for step := range g.between(2, 6) {
		g.step(step)
	}
	g.emit(`"reply":"%s"`, g.words(50))
}

func (g *generator) step(step int) {
	call := fmt.Sprintf("call_%d_%d", g.number, step)
	tool := []string{"read", "bash", "grep", "web_fetcher"}[g.random.IntN(4)]
	g.node = fmt.Sprintf("run-think-%d", step)
	g.emit(`"type":"node_enter","id":"think"`)
	for range g.between(20, 60) {
		g.emit(`"type":"message_chunk","content":" %s","id":"think"`, g.word())
	}
	prompt, completion := g.between(500, 4000), g.between(20, 400)
	g.emit(`"type":"usage","prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d`, prompt, completion, prompt+completion)
	g.emit(`"type":"tool_call","call_id":"%s","name":"%s","arguments":{"path":"src/main.rs","n":%d}`, call, tool, step)
	g.emit(`"type":"node_exit","id":"think","result":"Ok"`)
	g.node = fmt.Sprintf("run-act-%d", step)
	g.emit(`"type":"node_enter","id":"act"`)
	g.emit(`"type":"tool_start","call_id":"%s","name":"%s"`, call, tool)
	for range g.between(0, 3) {
		g.emit(`"type":"tool_output","call_id":"%s","name":"%s","content":"%s"`, call, tool, g.words(30))
	}
	g.emit(`"type":"tool_end","call_id":"%s","name":"%s","result":"%s","is_error":%t`, call, tool, g.words(60), g.random.IntN(20) == 0)
	g.emit(`"type":"node_exit","id":"act","result":"Ok"`)
}
