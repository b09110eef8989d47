package replay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/programtest"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/replay/terminal/terminaltest"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// unfolding writes a tape of a session that takes 100 s: a frame each second, a
// message that grows from 10 s to 40 s, a tool that runs from 50 s to 70 s.
func unfolding(t *testing.T, session string) string {
	t.Helper()
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "loom")
	for i := range 101 {
		s.Add(time.Duration(i)*time.Second, fmt.Sprintf("{\"type\":\"x\x1b[31m\",\"n\":%d}\n", i), func(f *schema.Frame) { f.Type = "tick" })
	}
	at := func(s int64) int64 { return replaytest.Start + s*int64(time.Second) }
	fact := func(id string, from int64) schema.Fact {
		return schema.Fact{ID: id, Run: "r", SeenAt: at(from), SeenSeq: uint64(from), Version: 101}
	}
	text := "Growing text, then \x1b[2Jthe rest."
	facts := block.Facts{
		Spans: []schema.Span{
			{Fact: fact("run", 0), Kind: schema.SpanRun, Name: "agent", Status: schema.StatusOK, Started: at(0), Ended: at(100)},
			{Fact: fact("tool", 50), Kind: schema.SpanTool, Name: "bash", Status: schema.StatusOK, Started: at(50), Ended: at(70)},
		},
		Messages: []schema.Message{
			{Fact: fact("u", 0), Kind: schema.MessageUser, Text: "The question", Complete: true, Started: at(0), Ended: at(0)},
			{
				Fact: fact("a", 10), Kind: schema.MessageAssistant, Text: text, Complete: true, Started: at(10), Ended: at(40),
				ChunkAt: []int64{at(10), at(40)}, ChunkEnd: []uint32{12, uint32(len(text))},
			},
			{Fact: fact("o", 70), Kind: schema.MessageResult, Span: "tool", Text: "the result", Complete: true, Started: at(70), Ended: at(70)},
		},
		Usages: []schema.Usage{{Fact: fact("c", 60), Scope: "c", Mode: schema.UsageAdd, At: at(60), Tokens: schema.Tokens{Input: 1234, Output: 5}, Raw: "{}"}},
	}
	path := filepath.Join(t.TempDir(), "run.tape")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := tapefile.NewWriter(file)
	err = errors.Join(err, w.Begin(session, tape.Streams()))
	for _, f := range tape.Frames() {
		err = errors.Join(err, w.Add(&f))
	}
	err = errors.Join(err, w.Facts([]block.Block{{State: tape.Streams()[0], Facts: facts}}), w.Close(), file.Close())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// terminalRun is a command on a terminal of its own.
type terminalRun struct {
	t        *testing.T
	screen   *terminaltest.Screen
	keyboard *os.File
	line     *os.File    // the command's side
	before   *term.State // of the line
	cmd      *exec.Cmd
	over     chan error
}

func openConsole(t *testing.T, cmd *exec.Cmd, env ...string) *terminalRun {
	t.Helper()
	keyboard, line, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	c := &terminalRun{t: t, screen: terminaltest.New(80, 24), keyboard: keyboard, line: line, cmd: cmd, over: make(chan error, 1)}
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	if c.before, err = term.GetState(int(line.Fd())); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = line, line, line
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Env = append(append(cmd.Env, "TERM=xterm-256color", "NO_COLOR="), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		_, _ = io.Copy(c.screen, keyboard) // ends when the terminal is closed
	}()
	ended := make(chan struct{})
	go func() {
		c.over <- cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, unless the test failed
		bounded.Receive(t, ended)
		line.Close()
		bounded.Receive(t, shown)
		keyboard.Close()
	})
	return c
}

func (c *terminalRun) press(text string) {
	c.t.Helper()
	if _, err := c.keyboard.WriteString(text); err != nil {
		c.t.Fatal(err)
	}
}

// shows waits until all of it is on the screen, but for what begins with an
// exclamation mark, which is not.
func (c *terminalRun) shows(want ...string) {
	c.t.Helper()
	wrong := ""
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) { // between two looks at the screen
		text := c.screen.Text()
		wrong = ""
		for _, w := range want {
			if lack, not := strings.CutPrefix(w, "!"); not == strings.Contains(text, lack) {
				wrong = w
			}
		}
		if wrong == "" {
			return
		}
	}
	c.t.Fatalf("%q is not as it is to be on\n%s\n%s", wrong, c.screen.Text(), c.screen.Normal())
}

// ends waits for the end of the command, and looks at how it leaves the terminal.
func (c *terminalRun) ends(exit int) {
	c.t.Helper()
	select {
	case <-c.over:
	case <-time.After(bounded.Limit):
		c.t.Fatalf("it does not end; there is\n%s", c.screen.Text())
	}
	if got := c.cmd.ProcessState.ExitCode(); got != exit {
		c.t.Errorf("exit %d, want %d\n%s", got, exit, c.screen.Normal())
	}
	bounded.Until(c.t, "the screen from before", c.screen.Restored)
	if after, err := term.GetState(int(c.line.Fd())); err != nil || !reflect.DeepEqual(after, c.before) {
		c.t.Errorf("the terminal is left as %+v, %v; it was %+v", after, err, c.before)
	}
	if strange := c.screen.Strange(); len(strange) > 0 {
		c.t.Errorf("the terminal was sent %q", strange)
	}
}

// offline runs a command that needs no server.
func offline(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programtest.Path(t), args...)
	cmd.Env = os.Environ()
	return cmd
}

const (
	up, down, left, right = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
	escapeKey             = "\x1b"
)

// A file is played on the screen and steered by keys.
func TestPlaysOnScreen(t *testing.T) {
	c := openConsole(t, offline(t, "play", unfolding(t, "unfold"), "--from", "+5s"))
	c.shows("unfold", "── run agent", "The question", "!Growing", "1:40.0  1×")
	c.press(" ")
	c.shows("⏸")
	c.press("g+9.9s\r")
	c.shows("⏸ 0:09.9", "!Growing")
	c.press(".")
	c.shows("0:10.0", "Growing text", "!rest", "#10 tick")
	c.press(right)
	c.shows("⏸ 0:15.0")
	c.press(right + right)
	c.shows("⏸ 0:25.0")
	c.press(left)
	c.shows("⏸ 0:20.0")
	c.press(",") // the frame at 20 s was not played
	c.shows("⏸ 0:18.0")
	c.press("4")
	c.shows("⏸ 0:40.0", `then \x1b[2Jthe rest.`, "!bash")
	c.press(down)
	c.shows("⏸ 0:50.0", "bash", "!the result")
	c.press("6")
	c.shows("bash", "!✓", "10.0 s", "in 1,234 · out 5")
	c.press("7")
	c.shows("✓ bash", "20.0 s", "│ the result")
	c.press(up)
	c.shows("⏸ 0:50.0", "!the result")
	c.press("gtype:nothing\r")
	c.shows("no such frame")
	c.press("g+99")
	c.shows("go to: +99█")
	c.press(escapeKey)
	c.shows("!go to", "⏸ 0:50.0")
	c.press("+++-")
	c.shows("1:40.0  2×")
	c.press("li")
	c.shows("loop", "silence ≤ 2s")
	c.press("li")
	c.shows("!loop", "!silence")
	c.press("mtick\r")
	c.shows("stops at type:tick")
	c.press(" ")
	c.shows("⏸ 0:50.0", "#50 tick")
	c.press("m")
	c.shows("!stops at")
	c.press("?")
	c.shows("Keys", "5 seconds back", "!bash")
	c.press("?")
	c.shows("!Keys", "bash")
	c.press("f")
	c.shows("!bash", "0:50.0 ← tick", `{"type":"x\x1b[31m"`)
	c.screen.Resize(120, 10)
	if err := pty.Setsize(c.keyboard, &pty.Winsize{Rows: 10, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	c.shows("#50 tick · 1767323095123456789.") // for which there is room now
	c.press("f")
	c.shows("bash", "#50 tick", "!1767323095123456789")
	// To the end, where it stays, and once more from the start.
	c.press("g+98s\r ")
	c.shows("■ 1:40.0", "run ended after 1m40s")
	c.press(" ")
	c.shows("▶ 0:0", "The question")
	c.press("q")
	c.ends(0)
	bounded.Until(t, "where it was left", func() bool { return strings.Contains(c.screen.Normal(), "goes on from there") })
	if !c.screen.Styles()["1;36"] {
		t.Errorf("styles are %v", c.screen.Styles())
	}
}

// However it ends, the terminal is as it was.
func TestTerminalIsRestored(t *testing.T) {
	tape := unfolding(t, "unfold")
	for name, tc := range map[string]struct {
		end  func(*terminalRun)
		exit int
	}{
		"q":         {func(c *terminalRun) { c.press("q") }, 0},
		"Ctrl-C":    {func(c *terminalRun) { c.press("\x03") }, 130},
		"in prompt": {func(c *terminalRun) { c.press("g+1\x03") }, 130},
		"SIGTERM":   {func(c *terminalRun) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, 130},
		"SIGHUP":    {func(c *terminalRun) { _ = c.cmd.Process.Signal(syscall.SIGHUP) }, 130},
		"SIGINT":    {func(c *terminalRun) { _ = c.cmd.Process.Signal(syscall.SIGINT) }, 130},
	} {
		t.Run(name, func(t *testing.T) {
			c := openConsole(t, offline(t, "play", tape), "NO_COLOR=1")
			c.shows("The question")
			tc.end(c)
			c.ends(tc.exit)
			for style := range c.screen.Styles() {
				if strings.Contains(style, "3") && style != "2;3" {
					t.Errorf("without colours there is %q", style)
				}
			}
		})
	}
}

// Lines are printed where they are asked for, or there is no screen; and what
// is not playable is reported on the terminal as it was.
func TestNotOnScreen(t *testing.T) {
	tape := unfolding(t, "unfold")
	for name, tc := range map[string]struct {
		args []string
		env  string
		want string
		exit int
	}{
		"plain":     {[]string{"play", tape, "--plain", "--speed", "max"}, "TERM=xterm", "── end, 101 frames", 0},
		"dumb":      {[]string{"play", tape, "--speed", "max"}, "TERM=dumb", "── end, 101 frames", 0},
		"bad place": {[]string{"play", tape, "--from", "type:none"}, "TERM=xterm", "no such frame", 2},
	} {
		t.Run(name, func(t *testing.T) {
			c := openConsole(t, offline(t, tc.args...), tc.env)
			c.ends(tc.exit)
			bounded.Until(t, "its words", func() bool { return strings.Contains(c.screen.Normal(), tc.want) })
		})
	}
}

// A session of a server is shown like that of a file.
func TestPlaysOnScreenFromServer(t *testing.T) {
	s := commandtest.Shared(t)
	s.Must(t, "import", unfolding(t, "on screen"))
	commandtest.UntilEnded(t, s, "on screen")
	c := openConsole(t, s.Command(t, "play", "on screen"))
	c.shows("on screen", "The question", "1:40.0  1×")
	c.press(" 3")
	c.shows("⏸ 0:30.0", "Growing text", "!rest")
	c.press("8")
	c.shows("⏸ 1:20.0", "the rest.", "✓ bash", "20.0 s", "│ the result", "in 1,234 · out 5")
	c.press("q")
	c.ends(0)
	c = openConsole(t, s.Command(t, "play", "not there"))
	c.ends(1)
	bounded.Until(t, "its words", func() bool { return strings.Contains(c.screen.Normal(), "tapedeck sessions") })
}
