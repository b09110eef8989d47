package otlpforward

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/backoff"
	"tapedeck/internal/console"
)

const (
	// requestTime bounds one request to the endpoint.
	requestTime = 30 * time.Second
	// mostAnswer bounds the answer that is read, bytes.
	mostAnswer = 64 << 10
	// mostWait bounds the wait that an endpoint asks for, if attempts are bounded.
	mostWait = 30 * time.Second
)

// refused is an error for a request that must not be sent again.
type refused struct {
	text string
	all  bool // it would refuse any request: the address or the credentials are wrong
}

func (r *refused) Error() string { return r.text }

// refuseAll are statuses with which an endpoint refuses any request.
var refuseAll = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
	http.StatusUnsupportedMediaType}

// send sends a request until the endpoint has taken or refused it, attempts are used up, or ctx ends. Which answers are tried again is
// defined by https://opentelemetry.io/docs/specs/otlp/#failures-1. It returns the number of spans that the endpoint
// rejected, with its reason.
func (f *Forwarder) send(ctx context.Context, body []byte) (rejected int64, why string, err error) {
	pause := backoff.Backoff{Min: time.Second, Max: time.Minute}
	for attempt := 1; ; attempt++ {
		rejected, why, wait, err := f.try(ctx, body)
		if _, final := errors.AsType[*refused](err); err == nil || final || ctx.Err() != nil {
			return rejected, why, err
		}
		if wait == 0 {
			wait = pause.Next()
		}
		if f.Attempts > 0 && (attempt >= f.Attempts || wait > mostWait) {
			return 0, "", fmt.Errorf("the endpoint %s took nothing in %s, the next run sends what is left: %w",
				f.Endpoint, console.Count(attempt, "attempt"), err)
		}
		if attempt == 1 || attempt%20 == 0 {
			f.say(fmt.Sprintf("the endpoint took nothing, trying again: %v", err))
		}
		if !backoff.Sleep(ctx, wait) {
			return 0, "", ctx.Err()
		}
	}
}

// try sends a request once. An error that is not refused may be tried again, after wait if that is not 0.
func (f *Forwarder) try(ctx context.Context, body []byte) (rejected int64, why string, wait time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, f.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, "", 0, &refused{err.Error(), true}
	}
	for name, value := range f.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	resp, err := f.client.Do(req)
	if err != nil {
		return 0, "", 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted:
		if err != nil {
			return 0, "", 0, err
		}
		var partial struct {
			Success struct {
				Rejected json.Number `json:"rejectedSpans"`
				Message  string      `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		_ = json.Unmarshal(answer, &partial) // an answer without a body means that all spans were taken
		n, _ := strconv.ParseInt(partial.Success.Rejected.String(), 10, 64)
		return n, partial.Success.Message, 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return 0, "", min(time.Duration(seconds)*time.Second, time.Hour), fmt.Errorf("%s answered %s", f.Endpoint, resp.Status)
	}
	text := fmt.Sprintf("%s answered %s", f.Endpoint, resp.Status)
	if said := strings.TrimSpace(strings.ToValidUTF8(string(answer[:min(len(answer), 300)]), "?")); said != "" {
		text += ": " + strconv.Quote(said)
	}
	all := resp.StatusCode/100 == 3 || slices.Contains(refuseAll, resp.StatusCode)
	return 0, "", 0, &refused{text, all}
}
