package settings

import (
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/admission"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/sink"
)

// Pipeline bounds the data that is gathered and stored between a tap and ClickHouse.
type Pipeline struct {
	BlockFrames  int           `help:"Frames in one block at most." default:"4096" min:"1" max:"65536" unit:"frames" env:"TAPEDECK_BLOCK_FRAMES" placeholder:"N"`
	BlockBytes   Size          `help:"Bytes of frames at which a block is cut." default:"128KiB" min:"1KiB" max:"16MiB" env:"TAPEDECK_BLOCK_BYTES" placeholder:"SIZE"`
	BlockAge     time.Duration `help:"The longest that a frame waits for its block to fill." default:"5ms" min:">0" max:"10s" env:"TAPEDECK_BLOCK_AGE" placeholder:"D"`
	DetectFrames int           `help:"Frames that are held back at most until the dialect and session of a stream are known." default:"256" min:"1" max:"65536" unit:"frames" env:"TAPEDECK_DETECT_FRAMES" placeholder:"N"`
	DetectBytes  Size          `help:"Bytes that are held back at most until then." default:"256KiB" min:"1KiB" max:"64MiB" env:"TAPEDECK_DETECT_BYTES" placeholder:"SIZE"`
	DetectFor    time.Duration `help:"The longest that frames are held back until then." default:"300ms" min:">0" max:"1m" env:"TAPEDECK_DETECT_FOR" placeholder:"D"`
	OpenSessions int           `help:"Sessions of one stream that are open at a time; the least recently used is closed." default:"256" min:"1" max:"65536" unit:"sessions" env:"TAPEDECK_OPEN_SESSIONS" placeholder:"N"`

	SpoolLimit   Size          `help:"Most bytes of the spool, which keeps blocks on disk while JetStream takes none. Once it is full, nothing more is recorded." default:"8GiB" min:"16MiB" env:"TAPEDECK_SPOOL_LIMIT" placeholder:"SIZE"`
	SpoolTimeout time.Duration `help:"How long JetStream may take to accept a block before it goes to the spool." default:"5s" min:"100ms" max:"10m" env:"TAPEDECK_SPOOL_TIMEOUT" placeholder:"D"`

	SinkBatchFrames int           `help:"Frames in one insert into ClickHouse at most." default:"300000" min:"1" max:"10000000" unit:"frames" env:"TAPEDECK_SINK_BATCH_FRAMES" placeholder:"N"`
	SinkBatchBytes  Size          `help:"Bytes in one insert at most." default:"64MiB" min:"64KiB" max:"1GiB" env:"TAPEDECK_SINK_BATCH_BYTES" placeholder:"SIZE"`
	SinkBatchAge    time.Duration `help:"How long blocks are gathered for an insert at least." default:"100ms" min:">0" max:"1m" env:"TAPEDECK_SINK_BATCH_AGE" placeholder:"D"`
	SinkBatchPace   time.Duration `help:"How long they are gathered beyond that while inserts take more than a fifth of the time." default:"500ms" min:">0" max:"1m" env:"TAPEDECK_SINK_BATCH_PACE" placeholder:"D"`
	SinkHeldBytes   Size          `help:"Bytes of messages that the sink has received from JetStream and not stored at most." default:"128MiB" min:"1MiB" max:"4GiB" env:"TAPEDECK_SINK_HELD_BYTES" placeholder:"SIZE"`
	DeadLetterRetry time.Duration `help:"Interval between attempts to store blocks that were set aside." default:"1m" min:"1s" env:"TAPEDECK_DEAD_LETTER_RETRY" placeholder:"D"`

	MaxUnstoredBytes  Size `help:"Bytes of encoded blocks that this process has published and the sink has not stored, from which on bulk recordings wait." default:"64MiB" min:"1MiB" env:"TAPEDECK_MAX_UNSTORED_BYTES" placeholder:"SIZE"`
	MaxUnstoredFrames int  `help:"Frames of them, from which on bulk recordings wait." default:"1000000" min:"10000" unit:"frames" env:"TAPEDECK_MAX_UNSTORED_FRAMES" placeholder:"N"`
	MaxCachedBytes    Size `help:"Bytes of blocks that bulk recordings may publish within 10 seconds, for which the JetStream of tapedeck up keeps them in memory." default:"256MiB" min:"32MiB" env:"TAPEDECK_MAX_CACHED_BYTES" placeholder:"SIZE"`

	JetStreamPartitions int `help:"JetStream streams over which blocks are partitioned by session. A change waits until the sinks have stored the blocks of the earlier number." name:"jetstream-partitions" default:"1" min:"1" max:"64" unit:"streams" env:"TAPEDECK_JETSTREAM_PARTITIONS" placeholder:"N"`

	JetStreamKeep  time.Duration `help:"How long JetStream keeps blocks after they are stored." name:"jetstream-keep" default:"1h" min:"1m" env:"TAPEDECK_JETSTREAM_KEEP" placeholder:"D"`
	JetStreamDedup time.Duration `help:"How long JetStream remembers the ids of blocks, which it refuses a second time." name:"jetstream-dedup" default:"2m" min:"1s" max:"24h" env:"TAPEDECK_JETSTREAM_DEDUP" placeholder:"D"`
}

// Recording returns the limits of blocks and detection.
func (p *Pipeline) Recording() ingest.Settings {
	return ingest.Settings{
		BlockFrames: p.BlockFrames, BlockBytes: int(p.BlockBytes), BlockAge: p.BlockAge,
		DetectFrames: p.DetectFrames, DetectBytes: int(p.DetectBytes), DetectFor: p.DetectFor, Segments: p.OpenSessions,
	}
}

// Spooling returns the limits of the spool.
func (p *Pipeline) Spooling() spool.Options {
	return spool.Options{Limit: int64(p.SpoolLimit), Timeout: p.SpoolTimeout}
}

// Batches returns the limits of inserts.
func (p *Pipeline) Batches() sink.Options {
	return sink.Options{
		BatchFrames: p.SinkBatchFrames, BatchBytes: int(p.SinkBatchBytes), BatchAge: p.SinkBatchAge, BatchPace: p.SinkBatchPace,
		HeldBytes: int(p.SinkHeldBytes), RetryEvery: p.DeadLetterRetry,
	}
}

// Unstored returns the limits of what is published and not stored.
func (p *Pipeline) Unstored() admission.Unstored {
	return admission.Unstored{Bytes: int64(p.MaxUnstoredBytes), Frames: int64(p.MaxUnstoredFrames), CachedBytes: int64(p.MaxCachedBytes)}
}

// Streams adds the settings to the configuration of JetStream's streams.
func (p *Pipeline) Streams(c jetstream.Config) jetstream.Config {
	c.Keep, c.Dedup, c.Partitions = p.JetStreamKeep, p.JetStreamDedup, p.JetStreamPartitions
	return c
}
