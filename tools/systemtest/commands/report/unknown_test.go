package report

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// What a source did not report is not shown as zero, and frames that cannot be read are
// counted where one looks first.
func TestUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	text := strings.Repeat("this is no JSON\n", 1218) + `{"a":1}` + "\n"
	out, errs, exit := s.Run(t, "record", "--session", "not-json", commandtest.TextFile(t, []byte(text)))
	if exit != 0 || !strings.Contains(errs, "note     1,218 frames are not JSON") {
		t.Errorf("record: exit %d\n%s%s", exit, out, errs)
	}
	commandtest.Contains(t, "show", s.Must(t, "show", "not-json"), "1,218 frames are not JSON, and nothing is concluded from them")

	const run = `{"session_id":"r","node_id":"run-1","event_id":1,"type":"run_start","run_id":"r1","message":"Hello"}
{"session_id":"r","node_id":"run-1","event_id":2,"reply":"Noon."}
`
	s.Must(t, "record", "--session", "no-usage", "--tag", "unknown=yes", commandtest.TextFile(t, []byte(run)))
	shown := s.Must(t, "show", "no-usage")
	commandtest.Contains(t, "show", shown, "tokens –: no usage was reported")
	if strings.Contains(shown, "first token after") || strings.Contains(shown, "not JSON") {
		t.Errorf("show:\n%s", shown)
	}
	rows := strings.Split(strings.TrimSpace(s.Must(t, "sessions", "--tag", "unknown=yes")), "\n")
	if len(rows) != 2 {
		t.Fatalf("sessions: %q", rows)
	}
	at := strings.Index(rows[0], "TOKENS")
	if cell := strings.Fields(rows[1][at:])[0]; cell != "–" {
		t.Errorf("tokens are %q in\n%s\n%s", cell, rows[0], rows[1])
	}
}

// A session that does not exist is an error where it is named, not an empty list.
func TestMissingSession(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	for _, line := range []string{"alerts no-such", "alerts list no-such --json", "search x --session no-such", "search x --session no-such --json", "notes no-such", "show no-such"} {
		out, errs, exit := s.Run(t, strings.Fields(line)...)
		if exit != commandtest.ExitFailed || out != "" || !strings.Contains(errs, "There is no session") {
			t.Errorf("%s: exit %d\n%s%s", line, exit, out, errs)
		}
	}
}

// A session whose run was cancelled has that status, and is found by it.
func TestCancelledSession(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	const turn = `{"ev":"turn/begin","conv":"c-1","turn":"t-1","ask":{"text":"Go"}}
{"ev":"turn/end","conv":"c-1","turn":"t-1","outcome":"stopped"}
`
	s.Must(t, "record", "--session", "stopped", "--dialect-file", commandtest.AcmeFile, commandtest.TextFile(t, []byte(turn)))
	commandtest.Contains(t, "show", s.Must(t, "show", "stopped"), "stopped  cancelled", "run  (cancelled")
	commandtest.Contains(t, "sessions", s.Must(t, "sessions", "--status", "cancelled"), "stopped ")
}

// Names of any length are shown in part, and a call's model once.
func TestShowClipsNames(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	long := strings.Repeat("n", 1<<20)
	chunk := func(model, delta, end string) string {
		return `{"id":"c-1","object":"chat.completion.chunk","model":"` + model + `","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + end + "}]}\n"
	}
	call := `{"tool_calls":[{"index":0,"id":"t-1","type":"function","function":{"name":"` + long + `","arguments":"{}"}}]}`
	s.Must(t, "record", "--session", "long-names", commandtest.TextFile(t, []byte(chunk(long, call, "null")+chunk(long, "{}", `"tool_calls"`))))
	if shown := s.Must(t, "show", "long-names"); len(shown) > 4096 || !strings.Contains(shown, "tool nnn") {
		t.Errorf("show prints %d bytes: %.2000s", len(shown), shown)
	}
	s.Must(t, "record", "--session", "model-once", commandtest.TextFile(t, []byte(chunk("m-1", `{"content":"hi"}`, `"stop"`))))
	if shown := s.Must(t, "show", "model-once"); !strings.Contains(shown, "llm m-1\n") {
		t.Errorf("show:\n%s", shown)
	}
}

// A frame that is not UTF-8, and one that is not JSON, are noted in the same words.
func TestUnreadableFrameNotes(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	_, errs, _ := s.Run(t, "record", "--session", "not-utf8", commandtest.TextFile(t, []byte("\xff\xfe\n")))
	commandtest.Contains(t, "record", errs, "note     1 frame is not JSON", "note     1 frame is not UTF-8")
	commandtest.Contains(t, "show", s.Must(t, "show", "not-utf8"), "1 frame is not JSON, and nothing is concluded from it\n")
}

// Frames that are damaged, or nested too deep, are noted by record.
func TestDamagedFrameNotes(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	_, errs, _ := s.Run(t, "record", "--session", "too-deep", commandtest.TextFile(t, []byte(`{"a":`+deep+"}\n")))
	commandtest.Contains(t, "record", errs, "note     1 frame nested too deep to be decoded")

	// An event stream's message without headers: lengths, the CRC-32 of these, "{}", and a
	// CRC-32 of all before it with one bit wrong.
	message := []byte{0, 0, 0, 18, 0, 0, 0, 0}
	message = binary.BigEndian.AppendUint32(message, crc32.ChecksumIEEE(message))
	message = append(message, "{}"...)
	message = binary.BigEndian.AppendUint32(message, crc32.ChecksumIEEE(message)^1)
	_, errs, _ = s.Run(t, "record", "--session", "bad-checksum", commandtest.TextFile(t, message))
	commandtest.Contains(t, "record", errs, "note     1 frame that fails its checksum")
}
