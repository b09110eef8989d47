package sink

import (
	"errors"
	"log/slog"
	"testing"
)

// The sink is well if neither ClickHouse nor JetStream is in trouble. The end of one trouble does not hide
// the other.
func TestStatusOfBoth(t *testing.T) {
	var s status
	log := slog.New(slog.DiscardHandler)
	for _, step := range []struct {
		what    string
		do      func()
		trouble string
		ok      bool
	}{
		{"at the start", func() {}, "", false},
		{"ClickHouse is reached", func() { s.reached(log) }, "", false},
		{"subscribed", func() { s.connected("one"); s.connected("two") }, "", true},
		{"a partition is away", func() { s.disconnected("two", errors.New("no leader")) }, "JetStream", false},
		{"an insert of another partition", func() { s.stored(log) }, "JetStream", false},
		{"another partition is subscribed to anew", func() { s.connected("one") }, "JetStream", false},
		{"the partition is back", func() { s.connected("two") }, "", true},
		{"ClickHouse refuses", func() { s.failed(errors.New("refused")) }, "ClickHouse", false},
		{"a partition is away as well", func() { s.disconnected("two", errors.New("no leader")) }, "ClickHouse", false},
		{"the partition is back alone", func() { s.connected("two") }, "ClickHouse", false},
		{"an insert", func() { s.stored(log) }, "", true},
	} {
		step.do()
		if now := s.now(); now.Trouble != step.trouble || now.OK != step.ok || (now.Error == "") != (step.trouble == "") {
			t.Errorf("%s: %+v", step.what, now)
		}
	}
}
