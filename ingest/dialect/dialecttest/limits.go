package dialecttest

import (
	"strconv"
	"time"

	"tapedeck/schema"
)

// limit writes a limit of an account.
func (r *renderer) limit(session string, l *schema.Limit) {
	words := []string{strconv.Quote(session), quoted(l.Name), field("plan", l.Plan)}
	if l.Window != 0 {
		words = append(words, "window="+(time.Duration(l.Window)*time.Second).String())
	}
	if l.UsedPercent != nil {
		words = append(words, "used="+number(*l.UsedPercent)+"%")
	}
	if l.Used != nil {
		words = append(words, "used="+number(*l.Used))
	}
	if l.Max != nil {
		words = append(words, "max="+number(*l.Max))
	}
	words = append(words, field("balance", l.Balance))
	if l.Unlimited {
		words = append(words, "unlimited")
	}
	words = append(words, field("status", l.Status))
	if l.ResetsAt != 0 {
		words = append(words, "resets="+time.Unix(l.ResetsAt, 0).UTC().Format(time.RFC3339))
	}
	r.line(append(words, timeField("at", l.At))...)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
