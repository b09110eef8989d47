package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Sizes of the workload of the proxy.
const (
	deltaAnswers     = 200
	deltaEvents      = 1000 // deltas of one answer
	deltaConnections = 20
	deltaHeader      = "X-Session" // request header with the number of the answer, which names the session
)

// deltaWorkload returns the workload of answers of a model that stream as SSE through `tapedeck
// proxy`. Each answer is a session.
func deltaWorkload(answers int) *workload {
	w := &workload{
		name: "SSE deltas of 200 B", command: "proxy", transport: "sse", sessions: answers,
		expected: &Totals{Calls: uint64(answers)},
	}
	for i := range answers {
		usage := deltaUsage(i)
		w.expected.Input += int64(usage)
		w.expected.Output += deltaEvents
		for _, event := range deltaAnswer(i) {
			w.frames++
			w.bytes += uint64(len(event))
		}
	}
	w.prepare = func(ctx context.Context, h *harness, up *command, dir string) (recordFunc, error) {
		return prepareDeltas(ctx, h, up, dir, answers)
	}
	w.lines = func(yield func(session string, raw []byte) error) error {
		for i := range answers {
			for _, event := range deltaAnswer(i) {
				if err := yield(strconv.Itoa(i), []byte(event)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return w
}

// deltaUsage returns the number of input tokens that an answer states.
func deltaUsage(answer int) int { return 100 + answer }

// deltaAnswer returns the events of an answer in the form of OpenAI's chat completions: deltas of
// about 200 bytes, the usage, and the end.
func deltaAnswer(answer int) []string {
	const format = `data: {"id":"chatcmpl-%06d","object":"chat.completion.chunk","created":1764230400,` +
		`"model":"gpt-5-mini","system_fingerprint":"fp_0a1b2c3d","choices":%s}` + "\n\n"
	events := make([]string, 0, deltaEvents+2)
	for i := range deltaEvents {
		word := words[(answer+i*i)%len(words)]
		choice := fmt.Sprintf(`[{"index":0,"delta":{"content":" %s"},"finish_reason":null}]`, word)
		events = append(events, fmt.Sprintf(format, answer, choice))
	}
	usage := fmt.Sprintf(`[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`,
		deltaUsage(answer), deltaEvents, deltaUsage(answer)+deltaEvents)
	return append(events, fmt.Sprintf(format, answer, usage), "data: [DONE]\n\n")
}

// serveDeltas answers with the events of an answer, each written by itself.
func serveDeltas(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.Header.Get(deltaHeader))
	if err != nil {
		http.Error(w, "the header "+deltaHeader+" must be a number", http.StatusBadRequest)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for _, event := range deltaAnswer(n) {
		if _, err := io.WriteString(w, event); err != nil || out.Flush() != nil {
			return // the client counts the bytes
		}
	}
}

// prepareDeltas starts the upstream and the proxy. The function that it returns reads all answers
// through the proxy, and ends the proxy, which then has sent everything.
func prepareDeltas(ctx context.Context, h *harness, up *command, dir string, answers int) (recordFunc, error) {
	upstream := httptest.NewServer(http.HandlerFunc(serveDeltas))
	proxy, err := start(h.Program, dir, nil, nil, nil, "proxy", "--upstream", upstream.URL, "--listen", "127.0.0.1:0",
		"--server", up.url, "--session-header", deltaHeader, "--strict", "--log-level", "warn")
	if err == nil {
		err = proxy.answers(ctx, proxySays, func() bool { return true })
	}
	if err != nil {
		upstream.Close()
		return nil, errors.Join(err, proxy.stop())
	}
	return func(ctx context.Context) (got recorded, err error) {
		defer upstream.Close()
		got.frames, got.bytes, err = readDeltas(ctx, proxy.url, answers)
		if err = errors.Join(err, proxy.stop()); err == nil {
			got.cpu = proxy.cpu()
		}
		return got, err
	}, nil
}

// readDeltas reads all answers, and counts their events and bytes.
func readDeltas(ctx context.Context, url string, answers int) (frames, bytes uint64, err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: deltaConnections, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var next, events, read atomic.Int64
	var mu sync.Mutex // guards err
	var clients sync.WaitGroup
	for range deltaConnections {
		clients.Go(func() {
			for i := next.Add(1) - 1; i < int64(answers); i = next.Add(1) - 1 {
				text, failed := readAnswer(ctx, client, url, int(i))
				if failed != nil {
					mu.Lock()
					err = errors.Join(err, failed)
					mu.Unlock()
					return
				}
				events.Add(int64(strings.Count(text, "\n\n")))
				read.Add(int64(len(text)))
			}
		})
	}
	clients.Wait()
	return uint64(events.Load()), uint64(read.Load()), err
}

// readAnswer requests an answer and reads it.
func readAnswer(ctx context.Context, client *http.Client, url string, answer int) (string, error) {
	body := `{"model":"gpt-5-mini","stream":true,"stream_options":{"include_usage":true},` +
		`"messages":[{"role":"user","content":"write a summary"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(deltaHeader, strconv.Itoa(answer))
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var text strings.Builder
	if _, err := io.Copy(&text, res.Body); err != nil {
		return "", fmt.Errorf("read answer %d: %w", answer, err)
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("answer %d: %s: %.300s", answer, res.Status, &text)
	}
	return text.String(), nil
}
