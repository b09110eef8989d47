package cost

import "tapedeck/query/pricing/prices"

// Parts are tokens by modality, which the buckets include, and uses of tools that the provider
// runs. Tokens that no part counts are text.
type Parts struct {
	InputAudio     int64 `json:"input_audio" ch:"input_audio_sum"`
	InputImage     int64 `json:"input_image" ch:"input_image_sum"`
	InputVideo     int64 `json:"input_video" ch:"input_video_sum"`
	CacheReadAudio int64 `json:"cache_read_audio" ch:"cache_read_audio_sum"`
	CacheReadImage int64 `json:"cache_read_image" ch:"cache_read_image_sum"`
	CacheReadVideo int64 `json:"cache_read_video" ch:"cache_read_video_sum"`
	OutputAudio    int64 `json:"output_audio" ch:"output_audio_sum"`
	OutputImage    int64 `json:"output_image" ch:"output_image_sum"`
	OutputVideo    int64 `json:"output_video" ch:"output_video_sum"`
	WebSearches    int64 `json:"web_searches" ch:"web_searches_sum"`
	CodeExecutions int64 `json:"code_executions" ch:"code_executions_sum"`
}

// part describes one field of Parts: the column of its records, the bucket that contains it, and
// the units in which it is counted.
type part struct {
	column string
	bucket int // index of the bucket; -1 for none
	units  []string
}

var parts = [...]part{
	{"input_audio", inputBucket, []string{prices.InputAudioTokens}},
	{"input_image", inputBucket, []string{prices.InputImageTokens}},
	{"input_video", inputBucket, []string{prices.InputVideoTokens}},
	{"cache_read_audio", cacheReadBucket, []string{prices.InputAudioTokens, prices.CacheAudioRead}},
	{"cache_read_image", cacheReadBucket, []string{prices.InputImageTokens, prices.CacheImageRead}},
	{"cache_read_video", cacheReadBucket, []string{prices.InputVideoTokens, prices.CacheVideoRead}},
	{"output_audio", outputBucket, []string{prices.OutputAudioTokens}},
	{"output_image", outputBucket, []string{prices.OutputImageTokens}},
	{"output_video", outputBucket, []string{prices.OutputVideoTokens}},
	{"web_searches", -1, []string{prices.WebSearches}},
	{"code_executions", -1, []string{prices.CodeExecutions}},
}

// PartColumn returns the column of the ith part in rows of usage.
func PartColumn(i int) string { return parts[i].column }

// Count is the quantity of one part.
type Count struct {
	Part string // such as "input_audio"
	N    int64
}

// Counts returns all parts, including parts with a count of 0.
func (p *Parts) Counts() []Count {
	list := make([]Count, len(parts))
	for i, n := range p.fields() {
		list[i] = Count{parts[i].column, *n}
	}
	return list
}

// Less returns p minus o.
func (p Parts) Less(o Parts) Parts {
	others := o.fields()
	for i, n := range p.fields() {
		*n -= *others[i]
	}
	return p
}

// fields returns the parts in their order.
func (p *Parts) fields() [len(parts)]*int64 {
	return [...]*int64{
		&p.InputAudio, &p.InputImage, &p.InputVideo, &p.CacheReadAudio, &p.CacheReadImage, &p.CacheReadVideo,
		&p.OutputAudio, &p.OutputImage, &p.OutputVideo, &p.WebSearches, &p.CodeExecutions,
	}
}

// Possible reports whether the quantities of one record are consistent: none is negative, and no
// bucket is smaller than the sum of its parts.
func (q *Quantities) Possible() bool {
	rest := q.buckets()
	for i, n := range q.fields() {
		if *n < 0 {
			return false
		}
		if b := parts[i].bucket; b >= 0 {
			rest[b] -= *n
		}
	}
	for _, n := range rest {
		if n < 0 {
			return false
		}
	}
	return true
}
