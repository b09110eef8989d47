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
	// quoteLimit bounds how much of an error response is quoted, bytes.
	quoteLimit = 512
	// maxRetryAfter bounds the accepted Retry-After.
	maxRetryAfter = time.Hour
)

// checkStatus returns an error for a response with a status that is not a success.
func checkStatus(answer *http.Response) error {
	code := answer.StatusCode
	if code == http.StatusNoContent {
		return errNoContent
	}
	if code >= 200 && code < 300 {
		return nil
	}
	err := fmt.Errorf("the server answered %s: %s", answer.Status, quote(answer.Body))
	if code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500 {
		return &connectError{err: err, after: retryAfter(answer.Header.Get("Retry-After"))}
	}
	return err
}

// quote returns the beginning of a response on one line.
func quote(body io.Reader) string {
	// A read error is ignored, because the status is the error to report.
	text, _ := io.ReadAll(io.LimitReader(body, quoteLimit+1))
	shown := strings.Join(strings.Fields(strings.ToValidUTF8(string(text[:min(len(text), quoteLimit)]), "\uFFFD")), " ")
	switch {
	case shown == "":
		return "(no text)"
	case len(text) > quoteLimit:
		return shown + " …"
	}
	return shown
}

// retryAfter parses a Retry-After header, which has seconds or a date. It returns 0 if there is
// none.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, int(maxRetryAfter/time.Second)))*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(time.Until(at), maxRetryAfter))
	}
	return 0
}
