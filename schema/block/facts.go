package block

import "tapedeck/schema"

// A fact is a record preceded by its length: a newer version appends fields, an older reader skips
// them, and a newer reader sets missing fields to zero.

func writeFacts(w *writer, f *Facts) {
	w.uint(uint64(len(f.Spans)))
	for i := range f.Spans {
		s := &f.Spans[i]
		w.record(func() { writeSpan(w, s) })
	}
	w.uint(uint64(len(f.Messages)))
	for i := range f.Messages {
		m := &f.Messages[i]
		w.record(func() { writeMessage(w, m) })
	}
	w.uint(uint64(len(f.Usages)))
	for i := range f.Usages {
		u := &f.Usages[i]
		w.record(func() { writeUsage(w, u) })
	}
}

// recordSize is the minimum size of a fact's record: its length, and at least one byte per field.
const recordSize = 20

func readFacts(r *reader) Facts {
	var f Facts
	f.Spans = make([]schema.Span, r.items(recordSize, spanMemory))
	for i := range f.Spans {
		f.Spans[i] = readSpan(r.record())
	}
	f.Messages = make([]schema.Message, r.items(recordSize, messageMemory))
	for i := range f.Messages {
		f.Messages[i] = readMessage(r.record())
	}
	f.Usages = make([]schema.Usage, r.items(recordSize, usageMemory))
	for i := range f.Usages {
		f.Usages[i] = readUsage(r.record())
	}
	return f
}

func writeFact(w *writer, f *schema.Fact) {
	w.string(f.ID)
	w.string(f.Session)
	w.string(f.Run)
	w.string(f.Node)
	w.string(f.Agent)
	w.int(f.SeenAt)
	w.uint(f.SeenSeq)
	w.uint(f.Version)
}

func readFact(r *reader) schema.Fact {
	return schema.Fact{
		ID: r.string(), Session: r.string(), Run: r.string(), Node: r.string(), Agent: r.string(),
		SeenAt: r.int(), SeenSeq: r.uint(), Version: r.uint(),
	}
}

func writeSpan(w *writer, s *schema.Span) {
	writeFact(w, &s.Fact)
	w.string(string(s.Kind))
	w.string(s.Parent)
	w.string(s.Name)
	w.string(string(s.Status))
	w.int(s.Started)
	w.int(s.Ended)
	w.int(s.FirstToken)
	w.int(s.Duration)
	w.string(s.CallID)
	w.string(s.Model)
	w.string(s.Provider)
	w.string(s.Error)
	w.string(s.Attributes)
}

func readSpan(r reader) schema.Span {
	return schema.Span{
		Fact: readFact(&r),
		Kind: schema.SpanKind(r.string()), Parent: r.string(), Name: r.string(), Status: schema.Status(r.string()),
		Started: r.int(), Ended: r.int(), FirstToken: r.int(), Duration: r.int(),
		CallID: r.string(), Model: r.string(), Provider: r.string(), Error: r.string(), Attributes: r.string(),
	}
}

func writeMessage(w *writer, m *schema.Message) {
	writeFact(w, &m.Fact)
	w.string(string(m.Kind))
	w.string(m.Span)
	w.string(m.Name)
	w.string(m.Text)
	w.string(m.Media)
	var complete byte
	if m.Complete {
		complete = 1
	}
	w.byte(complete)
	w.int(m.Started)
	w.int(m.Ended)
	w.string(m.Attributes)
	w.uint(uint64(len(m.ChunkAt)))
	at, end := m.Started, uint32(0)
	for i := range m.ChunkAt {
		w.int(m.ChunkAt[i] - at)
		w.uint(uint64(m.ChunkEnd[i] - end))
		at, end = m.ChunkAt[i], m.ChunkEnd[i]
	}
}

func readMessage(r reader) schema.Message {
	m := schema.Message{
		Fact: readFact(&r),
		Kind: schema.MessageKind(r.string()), Span: r.string(), Name: r.string(), Text: r.string(), Media: r.string(),
		Complete: r.byte() != 0, Started: r.int(), Ended: r.int(), Attributes: r.string(),
	}
	if n := r.items(2, chunkMemory); n > 0 {
		m.ChunkAt, m.ChunkEnd = make([]int64, n), make([]uint32, n)
		at, end := m.Started, uint32(0)
		for i := range n {
			at += r.int()
			end += uint32(r.uint())
			m.ChunkAt[i], m.ChunkEnd[i] = at, end
		}
	}
	return m
}

func writeUsage(w *writer, u *schema.Usage) {
	writeFact(w, &u.Fact)
	w.string(u.Scope)
	w.string(string(u.Mode))
	w.int(u.At)
	w.string(u.Span)
	w.string(u.Model)
	w.string(u.Provider)
	for _, n := range [...]uint64{
		u.Tokens.Input, u.Tokens.CacheRead, u.Tokens.CacheWrite5m, u.Tokens.CacheWrite1h,
		u.Tokens.Output, u.Tokens.Reasoning, u.Total,
	} {
		w.uint(n)
	}
	w.string(u.Raw)
	if u.Billing != (schema.Billing{}) {
		for _, text := range u.Billing.Texts() {
			w.string(*text)
		}
		for _, n := range u.Billing.Counts() {
			w.uint(*n)
		}
	}
}

func readUsage(r reader) schema.Usage {
	u := schema.Usage{
		Fact:  readFact(&r),
		Scope: r.string(), Mode: schema.UsageMode(r.string()), At: r.int(),
		Span: r.string(), Model: r.string(), Provider: r.string(),
		Tokens: schema.Tokens{
			Input: r.uint(), CacheRead: r.uint(), CacheWrite5m: r.uint(), CacheWrite1h: r.uint(),
			Output: r.uint(), Reasoning: r.uint(),
		},
		Total: r.uint(), Raw: r.string(),
	}
	if len(r.b) > 0 {
		readBilling(&r, &u.Billing)
	}
	return u
}

func readBilling(r *reader, b *schema.Billing) {
	for _, text := range b.Texts() {
		*text = r.string()
	}
	for _, n := range b.Counts() {
		*n = r.uint()
	}
}
