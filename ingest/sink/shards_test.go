package sink_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/cluster"
)

// With a shard away, sessions of the other are stored, also those that share a message with sessions of
// the shard that is away, and also while more messages wait for it than one server's consumer may have
// pending, and while ClickHouse refuses a block. When the shard is back, everything is stored once.
func TestShardAway(t *testing.T) {
	fulltest.Long(t)
	for _, partitions := range []int{1, 4} {
		t.Run(fmt.Sprint(partitions), func(t *testing.T) { shardAway(t, partitions) })
	}
}

func shardAway(t *testing.T, partitions int) {
	options := localtest.Shards(t, 2)
	first, second := localtest.Engine(t, options[0]), localtest.Engine(t, options[1])
	dsn, err := clickhouse.WithCluster(first.DSN(), localtest.ClusterName)
	if err != nil {
		t.Fatal(err)
	}
	b := benchOn(t, dsn)
	b.repartition(partitions)
	placement, err := b.db.(*cluster.Conn).Placement(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	here := *b // sees the first shard only
	if here.db, err = clickhouse.Open(first.DSN() + "_local"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.db.Close() })
	var of [3][]string                                  // sessions by shard
	for i := 0; len(of[1]) < 5 || len(of[2]) < 4; i++ { // of one bucket, so that they may share a message
		name := fmt.Sprintf("s%d", i)
		if ingest.Bucket(name) == 1 {
			shard := placement.Of(ingest.DefaultTenant, name, "")
			of[shard] = append(of[shard], name)
		}
	}
	s, _ := b.run(sink.Options{})
	b.record(of[2][3], 40) // it has the block that is inserted again when another one is refused
	b.check(of[2][3], 40)
	b.record(of[1][0], 40)
	here.check(of[1][0], 40)

	if err := second.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	b.record(of[2][0], 40)
	b.record(of[1][1], 40)
	here.check(of[1][1], 40)
	metrictest.Show(t, "tapedeck_sink_shards_away")
	if st := s.Status(); !st.OK || len(st.ShardsAway) != 1 || st.Detail() == "" {
		t.Errorf("the status is %+v", st)
	}
	here.do("ALTER TABLE frames ADD CONSTRAINT none CHECK session_id != '" + of[1][4] + "'")
	refused := ingest.PartitionOf(ingest.DefaultTenant, of[1][4], partitions).Subject(ingest.DefaultTenant, of[1][4])
	if _, err := b.js.Publish(t.Context(), refused, oneFrame(of[1][4])); err != nil {
		t.Fatal(err)
	}
	b.publishTogether(partitions, of[2][1], of[1][2])
	here.check(of[1][2], 40)
	b.repeat(partitions, of[2][2], 17_000/partitions)
	b.record(of[1][3], 40)
	here.check(of[1][3], 40)
	b.waitLetters(1)

	localtest.Engine(t, options[1])
	for _, session := range slices.Concat(of[1][:4], of[2][:3]) {
		b.check(session, 40)
	}
}

// publishTogether publishes the blocks of two sessions, 40 frames each, in one message.
func (b *bench) publishTogether(partitions int, sessions ...string) {
	b.t.Helper()
	var entries []block.Entry
	for _, session := range sessions {
		for _, data := range b.blocksOf(session) {
			entries = append(entries, block.Entry{Session: session, Data: data})
		}
	}
	bucket := ingest.Bucket(sessions[0])
	subject := ingest.BucketPartition(ingest.DefaultTenant, bucket, partitions).BundleSubject(ingest.DefaultTenant, bucket)
	if _, err := b.js.Publish(b.t.Context(), subject, block.AppendBundle(nil, entries)); err != nil {
		b.t.Fatal(err)
	}
}

// repeat publishes the blocks of a session, 40 frames, in n messages.
func (b *bench) repeat(partitions int, session string, n int) {
	b.t.Helper()
	blocks := b.blocksOf(session)
	subject := ingest.PartitionOf(ingest.DefaultTenant, session, partitions).Subject(ingest.DefaultTenant, session)
	for i := range n {
		if _, err := b.js.PublishAsync(subject, blocks[i%len(blocks)], njs.WithStallWait(bounded.Limit)); err != nil {
			b.t.Fatal(err)
		}
	}
	bounded.Receive(b.t, b.js.PublishAsyncComplete())
}

// blocksOf returns the blocks of a recording of 40 frames, which is in another JetStream.
func (b *bench) blocksOf(session string) (list [][]byte) {
	b.t.Helper()
	other := &bench{t: b.t, nc: localtest.NATS(b.t)}
	var err error
	if other.js, err = njs.New(other.nc); err != nil {
		b.t.Fatal(err)
	}
	stream, err := jetstream.EnsureStreams(b.t.Context(), other.js, jetstream.Config{MaxBytes: 1 << 20})
	if err != nil {
		b.t.Fatal(err)
	}
	other.record(session, 40)
	info, err := stream.Info(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for seq := uint64(1); seq <= info.State.LastSeq; seq++ {
		m, err := stream.GetMsg(b.t.Context(), seq)
		if err != nil {
			b.t.Fatal(err)
		}
		entries, err := block.Entries(m.Data, nil)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Data)
		}
	}
	return list
}
