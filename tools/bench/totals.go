package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
)

// Totals are the totals of a file of frames.
type Totals struct {
	Calls      uint64
	Input      int64
	Output     int64
	Tools      uint64
	ToolErrors uint64
}

// totals polls the server's totals until they are the expected ones;
// the time until then counts unless the first answer matches.
func (s *whole) totals(ctx context.Context, up *command, began time.Time, took time.Duration) (got Totals, _ time.Duration, err error) {
	for end := time.Now().Add(30 * time.Second); ; took = time.Since(began) {
		var usage usagereport.Report
		var tools toolreport.Report
		err := errors.Join(up.get(ctx, "/v1/usage?granularity=total", &usage), up.get(ctx, "/v1/tools?granularity=total", &tools))
		if err != nil {
			return got, took, err
		}
		got = Totals{
			Calls: usage.Totals.Calls, Input: usage.Totals.Tokens.Input, Output: usage.Totals.Tokens.Output,
			Tools: tools.Totals.Calls, ToolErrors: tools.Totals.Errors,
		}
		switch {
		case s.expected == nil || got == *s.expected:
			return got, took, nil
		case time.Now().After(end):
			return got, took, fmt.Errorf("the API's totals %+v are not those of the file, %+v", got, *s.expected)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
