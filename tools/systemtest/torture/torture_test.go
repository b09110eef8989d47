package torture

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
)

var (
	rounds = flag.Int("torture.rounds", 4, "how many rounds")
	seed   = flag.Uint64("torture.seed", 1, "the first round's seed")
	only   = flag.String("torture.fault", "", "only faults whose name holds this")
)

func TestMain(m *testing.M) {
	RunIfBroker()
	localtest.Main(m)
}

// A round's load goes on for this long; its faults come in between.
const (
	roundLoad = 1500 * time.Millisecond
	faultLong = 800 * time.Millisecond
)

func TestTorture(t *testing.T) {
	fulltest.Long(t)
	tables := localtest.Engine(t, engine.Options{Ephemeral: true})
	program := programtest.Path(t)
	dir, err := os.MkdirTemp("", "tapedeck-torture-")
	if err != nil {
		t.Fatal(err)
	}
	c, err := startCluster(t.Context(), dir, program, tables, spoolRoom)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	sessions, err := newPool(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !c.natsDisk.mounted {
		t.Log("no right to mount file systems: disks are not filled")
	}
	total := tally{}
	for i := range *rounds {
		n := *seed + uint64(i)
		if err := c.round(t.Context(), n, sessions, &total, t.Logf, nil); err != nil {
			t.Fatalf("round of seed %d: %v\n%s", n, err, c.logs())
		}
	}
	messages, bundles, err := c.travelled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rounds: %d sessions, %d of them to their end, %d frames acknowledged, %d frames read back; JetStream has %d messages, %d of them bundles",
		*rounds, total.sessions, total.whole, total.acked, total.read, messages, bundles)
	if total.whole == 0 || total.acked == 0 {
		t.Error("nothing came through whole: the rounds showed nothing")
	}
}

// tally counts the sessions and frames of the rounds.
type tally struct{ sessions, whole, acked, read int }

// round puts load on the parts, breaks something or two, mends it, and checks. do
// breaks something in particular; nil leaves that to the seed.
func (c *cluster) round(ctx context.Context, seed uint64, p pool, total *tally, log func(string, ...any), do func(*load) (string, error)) error {
	random := rand.New(rand.NewPCG(seed, 1))
	began := time.Now()
	l := &load{cluster: c, pool: p, round: int(seed), random: random, stop: make(chan struct{})}
	var followErr error
	for range 2 {
		l.sources.Go(func() { l.post(ctx) })
	}
	l.sources.Go(func() { l.socket(ctx) })
	l.sources.Go(func() { l.command(ctx, 0) })
	l.sources.Go(func() { followErr = l.follow(ctx) })
	if do == nil {
		do = func(l *load) (string, error) { return c.breakThings(ctx, l, random) }
	}
	names, err := do(l)
	if err == nil {
		err = c.heal(ctx)
	}
	close(l.stop)
	l.sources.Wait()
	if err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	if err := c.settle(ctx); err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	if followErr != nil {
		return fmt.Errorf("%s: %w", names, followErr)
	}
	if err := c.noDeadLetters(ctx); err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	read, err := c.checkAll(ctx, l.sessions)
	if err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	total.read += read
	whole, acked := 0, 0
	for _, r := range l.sessions {
		acked += r.acked
		if r.whole {
			whole++
		}
	}
	total.sessions += len(l.sessions)
	total.whole += whole
	total.acked += acked
	log("seed %d: %s: %d sessions, %d whole, %d frames acknowledged, %v", seed, names, len(l.sessions), whole, acked, time.Since(began).Round(100*time.Millisecond))
	return nil
}

// breakThings lets one or two faults happen while the load is on.
func (c *cluster) breakThings(ctx context.Context, l *load, random *rand.Rand) (names string, err error) {
	all := slices.DeleteFunc(faults(faultLong), func(f fault) bool { return !strings.Contains(f.name, *only) })
	slices.SortFunc(all, func(a, b fault) int { return strings.Compare(a.name, b.name) })
	var list []string
	end := time.Now().Add(roundLoad)
	for range 1 + random.IntN(2) {
		f := all[random.IntN(len(all))]
		list = append(list, f.name)
		if err := wait(ctx, time.Duration(100+random.IntN(400))*time.Millisecond); err != nil {
			return "", err
		}
		if err := f.do(ctx, c, l); err != nil {
			return strings.Join(list, ", "), fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if err := wait(ctx, time.Until(end)); err != nil {
		return "", err
	}
	return strings.Join(list, ", "), nil
}
