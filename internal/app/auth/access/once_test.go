package access

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/local/localtest"
)

// Of many requests at two servers one takes a value.
func TestOnce(t *testing.T) {
	nc := localtest.NATS(t)
	servers := make([]*Once, 2)
	for i := range servers {
		o, err := NewOnce(OnceOptions{NATS: nc, Bucket: "ONCE", Prefix: "x_", Life: time.Minute, Most: 100})
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = o
	}
	for range 10 {
		text, until, err := servers[0].Put(t.Context(), "value")
		if err != nil || time.Until(until) > time.Minute {
			t.Fatal(until, err)
		}
		var taken atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				var value string
				err := servers[i%2].Take(t.Context(), text, &value)
				switch {
				case err == nil && value == "value":
					taken.Add(1)
				case !errors.Is(err, ErrTaken):
					t.Error(value, err)
				}
			})
		}
		all.Wait()
		if n := taken.Load(); n != 1 {
			t.Errorf("taken %d times", n)
		}
	}
	for _, text := range []string{"", "x_", newText("x_"), newText("y_"), "x_>"} {
		if err := servers[1].Take(t.Context(), text, new(string)); !errors.Is(err, ErrTaken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The oldest value goes when there are too many, and every value by age. A bucket that is
// deleted is made again.
func TestOnceIsBounded(t *testing.T) {
	t.Parallel()
	o, err := NewOnce(OnceOptions{NATS: localtest.NATS(t), Bucket: "ONCE", Prefix: "x_", Life: 2 * time.Second, Most: 3})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range 4 {
		text, _, err := o.Put(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	var value int
	if err := o.Take(t.Context(), texts[0], &value); !errors.Is(err, ErrTaken) {
		t.Errorf("the first of four: %v", err)
	}
	if err := o.Take(t.Context(), texts[3], &value); err != nil || value != 3 {
		t.Errorf("the last of four: %d, %v", value, err)
	}
	text, until, err := o.Put(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(until)) // the bucket removes entries by the clock of its NATS server
	if err := o.Take(t.Context(), text, &value); !errors.Is(err, ErrTaken) {
		t.Errorf("after its time: %v", err)
	}
	if err := o.js.DeleteKeyValue(t.Context(), "ONCE"); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err = o.Put(t.Context(), 6); err == nil {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
}
