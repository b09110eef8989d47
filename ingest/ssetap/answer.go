package ssetap

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// quoted is how much of an answer that is no stream is shown, bytes.
	quoted = 512
	// longest bounds the Retry-After that is obeyed.
	longest = time.Hour
)

// judge says what is wrong with an answer by its status.
func judge(answer *http.Response) error {
	code := answer.StatusCode
	if code == http.StatusNoContent {
		return errNothing
	}
	if code >= 200 && code < 300 {
		return nil
	}
	err := fmt.Errorf("the server answered %s: %s", answer.Status, quote(answer.Body))
	if code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500 {
		return &broken{err: err, after: retryAfter(answer.Header.Get("Retry-After"))}
	}
	return err
}

// quote shows the beginning of an answer on one line.
func quote(body io.Reader) string {
	// What cannot be read is not shown; the answer's status is what matters.
	text, _ := io.ReadAll(io.LimitReader(body, quoted+1))
	shown := strings.Join(strings.Fields(strings.ToValidUTF8(string(text[:min(len(text), quoted)]), "\uFFFD")), " ")
	switch {
	case shown == "":
		return "(no text)"
	case len(text) > quoted:
		return shown + " …"
	}
	return shown
}

// retryAfter reads the header: seconds, or a date. 0 for none.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, int(longest/time.Second)))*time.Second, longest)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(time.Until(at), longest))
	}
	return 0
}
