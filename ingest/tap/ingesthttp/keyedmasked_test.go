package ingesthttp_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/redact/redacttest"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/schema"
)

// secret returns a token that is masked; each number has another one.
func secret(n int) string { return redacttest.Text("gh~p_~{36}", uint64(n)) }

// secretBody returns a body of 12 frames, of which most have secrets: longer than their placeholder,
// shorter, two in one frame.
func secretBody(form func(text string) string) (frames []string) {
	for i := range 4 {
		frames = append(frames, form("use "+secret(2*i)+" now."), form(fmt.Sprintf("step %d", i)),
			form(fmt.Sprintf("https://user:hunter%d@host.example/ and %s.", i, secret(2*i+1))))
	}
	return frames
}

func asLine(text string) string { return fmt.Sprintf(`{"type":"say","text":%q}`+"\n", text) }

func asEvent(text string) string {
	return fmt.Sprintf("event: say\r\ndata: {\"text\":%q}\r\n\r\n", text)
}

// asMessage returns a message of an event stream without headers.
func asMessage(text string) string {
	payload := fmt.Sprintf(`{"text":%q}`, text)
	raw := binary.BigEndian.AppendUint32(nil, uint32(16+len(payload)))
	raw = binary.BigEndian.AppendUint32(raw, 0)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	raw = append(raw, payload...)
	return string(binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw)))
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// checkMasked compares what was recorded with what one request without a key would have recorded.
func (n *nodes) checkMasked(t *testing.T, media, text string, opts ingesthttp.Options) {
	t.Helper()
	plain := serve(t, ingest.Settings{}, opts)
	var answer ingesthttp.Answer
	plain.read(t, plain.post(t, "", media, "", strings.NewReader(text)), http.StatusOK, &answer)
	plain.mem.Wait()
	if answer.Bytes != uint64(len(text)) {
		t.Errorf("without a key the answer has %d bytes, want %d", answer.Bytes, len(text))
	}
	got, want := string(n.mem.Raw(n.only(t), schema.Receive)), string(plain.mem.Raw(answer.StreamID, schema.Receive))
	if got != want || !strings.Contains(got, "[redacted:") || strings.Contains(got, "gh"+"p_") {
		t.Errorf("recorded\n%s\nwant\n%s", got, want)
	}
}

// The request that is sent again after its answer was lost has the same answer.
func TestMaskedTwice(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{})
	text := asLine(secret(1))
	status, first := s.send(t, sending{key: "k", text: text})
	if status != http.StatusOK || !strings.Contains(first, fmt.Sprintf(`"bytes":%d,`, len(text))) {
		t.Fatalf("answered %d %s", status, first)
	}
	if status, again := s.send(t, sending{key: "k", text: text}); status != http.StatusOK || again != first {
		t.Errorf("answered %d %s, want %s", status, again, first)
	}
	if status, other := s.send(t, sending{key: "k", text: asLine(secret(2))}); status != http.StatusUnprocessableEntity {
		t.Errorf("another secret: answered %d %s", status, other)
	}
	if st := s.status(t, "k"); st.Bytes != uint64(len(text)) {
		t.Errorf("status %+v", st)
	}
	n.checkMasked(t, ndjson, text, ingesthttp.Options{})
}

// A body with secrets that was cut is sent again from its beginning, from what is durable, from
// between and from inside a secret. Offsets count the bytes that were sent.
func TestMaskedCutAndResent(t *testing.T) {
	for media, form := range map[string]func(string) string{
		ndjson: asLine, "text/event-stream": asEvent, "application/vnd.amazon.eventstream": asMessage,
	} {
		frames := secretBody(form)
		text := strings.Join(frames, "")
		for _, whole := range []int{1, 3, 8, 12} {
			if whole > 3 && media != ndjson { // the other framings differ only in how a frame ends
				continue
			}
			durable := len(strings.Join(frames[:whole], ""))
			for name, from := range map[string]int{
				"beginning": 0, "durable": durable, "between": durable * 2 / 3, "secret": strings.Index(text, "gh"+"p_") + 9,
			} {
				t.Run(fmt.Sprintf("%s %d from %s", media, whole, name), func(t *testing.T) {
					n := newNodes(t)
					s := n.start(t, ingest.Settings{BlockFrames: 3})
					cut := min(durable+10, len(text))
					s.send(t, sending{key: "k", media: media, text: text[:cut], cut: true, when: func() {
						s.waitFor(t, "what was sent to be durable", func() bool { return s.status(t, "k").Bytes == uint64(durable) })
					}})
					status, answer := s.send(t, sending{key: "k", media: media, text: text[from:], offset: from})
					if status != http.StatusOK || !strings.Contains(answer, fmt.Sprintf(`"bytes":%d,`, len(text))) {
						t.Fatalf("answered %d %s", status, answer)
					}
					n.checkMasked(t, media, text, ingesthttp.Options{})
					for _, offset := range []int{0, from} {
						if status, again := s.send(t, sending{key: "k", media: media, text: text[offset:], offset: offset}); status != http.StatusOK || again != answer {
							t.Errorf("again from %d: answered %d %s, want %s", offset, status, again, answer)
						}
					}
				})
			}
		}
	}
}

// The pieces of a line over the frame limit keep their numbers although a secret in them is masked.
func TestMaskedOverTheLimit(t *testing.T) {
	opts := ingesthttp.Options{FrameLimit: 100}
	line := asLine("a " + secret(1) + strings.Repeat(" b", 70) + " https://user:pw1@host.example/" + strings.Repeat(" c", 40))
	text := asLine("first") + line + asLine(secret(2)) + asLine("last")
	for _, durable := range []int{len(asLine("first")) + 100, len(asLine("first")) + 200, len(asLine("first")) + len(line)} {
		for _, from := range []int{0, durable} {
			t.Run(fmt.Sprintf("%d from %d", durable, from), func(t *testing.T) {
				n := newNodes(t)
				store, err := keys.New(keys.Options{NATS: n.nc, Next: n.mem, MaxBytes: 64 << 20})
				if err != nil {
					t.Fatal(err)
				}
				s := serveTo(t, n.mem, ingest.Settings{BlockFrames: 1}, ingesthttp.Options{Keys: store, FrameLimit: opts.FrameLimit})
				s.send(t, sending{key: "k", text: text[:durable+5], cut: true, when: func() {
					s.waitFor(t, "what was sent to be durable", func() bool { return s.status(t, "k").Bytes == uint64(durable) })
				}})
				if status, answer := s.send(t, sending{key: "k", text: text[from:], offset: from}); status != http.StatusOK {
					t.Fatalf("answered %d %s", status, answer)
				}
				n.checkMasked(t, ndjson, text, opts)
			})
		}
	}
}

// The durable bytes of a failure count the bytes that were sent, as the offset does.
func TestMaskedFailure(t *testing.T) {
	n := newNodes(t)
	store, err := keys.New(keys.Options{NATS: n.nc, Next: n.mem, MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	few := serveTo(t, n.mem, ingest.Settings{}, ingesthttp.Options{Keys: store, Limits: ingest.Limits{Frames: 5}})
	frames := secretBody(asLine)
	text := strings.Join(frames, "")
	for _, offset := range []int{0, len(strings.Join(frames[:5], ""))} {
		status, answer := few.send(t, sending{key: "k", text: text[offset:], offset: offset})
		var failure ingesthttp.Failure
		if err := json.Unmarshal([]byte(answer), &failure); err != nil || status != http.StatusRequestEntityTooLarge {
			t.Fatalf("answered %d %s", status, answer)
		}
		if want := len(strings.Join(frames[:5], "")); failure.DurableFrames != 5 || failure.DurableBytes != int64(want) {
			t.Errorf("from %d: durable %d frames, %d bytes; want 5, %d", offset, failure.DurableFrames, failure.DurableBytes, want)
		}
		if st := few.status(t, "k"); st.Bytes != uint64(failure.DurableBytes) {
			t.Errorf("status %+v, durable bytes %d", st, failure.DurableBytes)
		}
	}
	s := n.start(t, ingest.Settings{})
	offset := len(strings.Join(frames[:5], ""))
	if status, answer := s.send(t, sending{key: "k", text: text[offset:], offset: offset}); status != http.StatusOK {
		t.Fatalf("answered %d %s", status, answer)
	}
	n.checkMasked(t, ndjson, text, ingesthttp.Options{})
}

// Bytes around a masked frame are compared, and the parameter digest is that of the bytes that were sent.
func TestMaskedOtherBytes(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{})
	frames := secretBody(asLine)
	text := strings.Join(frames, "")
	half := strings.Join(frames[:6], "")
	s.send(t, sending{key: "k", text: half, cut: true, when: func() {
		s.waitFor(t, "half of it", func() bool { return s.status(t, "k").Frames == 6 })
	}})
	for name, it := range map[string]sending{
		"another frame":           {text: strings.Replace(text, "step 1", "step 7", 1)},
		"another frame, from one": {text: strings.Replace(text, "step 1", "step 7", 1)[len(frames[0]):], offset: len(frames[0])},
		"a longer secret":         {text: strings.Replace(text, "hunter0", "hunter00", 1)},
		"shorter":                 {text: half[:len(half)-1]},
	} {
		it.key = "k"
		if status, answer := s.send(t, it); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: answered %d %s", name, status, answer)
		}
	}
	if status, answer := s.send(t, sending{key: "k", text: text, query: "?digest=" + digestOf(text)}); status != http.StatusOK {
		t.Errorf("answered %d %s", status, answer)
	}
	n.checkMasked(t, ndjson, text, ingesthttp.Options{})
	for _, b := range n.mem.Blocks() {
		if b.State.Digest != "" && b.State.Digest != digestOf(text) {
			t.Errorf("the stream has the digest %s, which is not of its bytes", b.State.Digest)
		}
	}
}

// A secret of several lines is masked with its line ends. The lines keep their numbers when the body
// is resumed, and so do the elements of an array and values on several lines.
func TestMaskedLineEnds(t *testing.T) {
	lines := "-----BEGIN RSA PRIVATE " + "KEY-----\n"
	for i := range 5 {
		lines += redacttest.Text("{64}", uint64(i)) + "\n"
	}
	lines += "-----END RSA PRIVATE " + "KEY-----\n"
	element := strings.TrimSpace(asLine("use " + secret(1) + "."))
	for name, text := range map[string]string{
		"lines":  asLine("first") + lines + asLine("last"),
		"array":  "[" + element + ",\n" + element + ", " + element + "]\n",
		"values": strings.Repeat("{\n  \"a\": \""+secret(1)+".\",\n  \"b\": 2\n}\n", 3),
	} {
		plain := serve(t, ingest.Settings{}, ingesthttp.Options{})
		var want ingesthttp.Answer
		plain.read(t, plain.post(t, "", ndjson, "", strings.NewReader(text)), http.StatusOK, &want)
		for at := 10; at < len(text); at += 41 {
			t.Run(fmt.Sprintf("%s %d", name, at), func(t *testing.T) {
				n := newNodes(t)
				s := n.start(t, ingest.Settings{})
				s.send(t, sending{key: "k", text: text[:at], cut: true})
				status, answer := http.StatusConflict, ""
				for tries := 0; status == http.StatusConflict && tries < 50; tries++ { // the cut request may not have ended
					offset := int(s.status(t, "k").Bytes)
					status, answer = s.send(t, sending{key: "k", text: text[offset:], offset: offset})
				}
				var got ingesthttp.Answer
				if err := json.Unmarshal([]byte(answer), &got); err != nil || status != http.StatusOK {
					t.Fatalf("answered %d %s", status, answer)
				}
				if got.Frames != want.Frames || got.Bytes != uint64(len(text)) {
					t.Errorf("%d frames, %d bytes; want %d, %d", got.Frames, got.Bytes, want.Frames, len(text))
				}
				for i, f := range n.mem.Frames(n.only(t)) {
					if f.Seq != uint64(i) {
						t.Fatalf("frame %d has seq %d", i, f.Seq)
					}
				}
			})
		}
	}
}
