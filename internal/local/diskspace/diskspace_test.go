package diskspace

import (
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestOf(t *testing.T) {
	dir := t.TempDir()
	there, err := Of(dir)
	if err != nil || there.Free == 0 || there.Size < there.Free {
		t.Fatalf("%+v, %v", there, err)
	}
	if later, err := Of(filepath.Join(dir, "not", "made", "yet")); err != nil || later.Size != there.Size {
		t.Errorf("of a directory that is not there yet: %+v, %v, want the size %d", later, err, there.Size)
	}
	if n := testutil.CollectAndCount(Collector{dir}); n != 2 {
		t.Errorf("%d metrics, want 2", n)
	}
}

func TestLow(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		space Space
		low   bool
	}{
		{Space{Free: 3 * gib, Size: 100 * gib}, false},
		{Space{Free: gib, Size: 100 * gib}, true},
		{Space{Free: 100 << 20, Size: 220 << 20}, false}, // a small disk that is half empty
		{Space{Free: 5 << 20, Size: 220 << 20}, true},
	} {
		if low := c.space.Low(2 * gib); low != c.low {
			t.Errorf("%+v: low %v", c.space, low)
		}
	}
}
