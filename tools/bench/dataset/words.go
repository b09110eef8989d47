package dataset

import (
	"math/rand/v2"
	"strings"
)

// vocabulary holds the words of texts, the frequent words first.
var vocabulary = makeVocabulary(30_000)

// CommonWord occurs in most texts.
const CommonWord = "the"

// makeVocabulary returns n different words.
func makeVocabulary(n int) []string {
	list := strings.Fields(CommonWord + " agent reads file and then writes a summary of tool output with tokens latency error " +
		"customer order invoice refund deploy database query index table cache server request timeout retry")
	consonants, vowels := "bcdfghklmnprstvz", "aeiou"
	seen := map[string]bool{}
	for _, word := range list {
		seen[word] = true
	}
	random := rand.New(rand.NewPCG(1, 2))
	for len(list) < n {
		var b strings.Builder
		for range 2 + random.IntN(3) {
			b.WriteByte(consonants[random.IntN(len(consonants))])
			b.WriteByte(vowels[random.IntN(len(vowels))])
		}
		if word := b.String(); !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// word returns a random word. The first words of the vocabulary are far more frequent than the
// last.
func word(r *rand.Rand) string {
	u := r.Float64()
	return vocabulary[int(float64(len(vocabulary))*u*u*u)]
}

// appendWords appends n words.
func appendWords(b []byte, r *rand.Rand, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, word(r)...)
	}
	return b
}

// RareWord returns a word that occurs only in the first message of one session.
func RareWord(session int) string {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	word := []byte("ticket")
	for x := uint64(session)*0x9e3779b97f4a7c15 + 0x5bd1e995; len(word) < 15; x >>= 5 {
		word = append(word, digits[x%32])
	}
	return string(word)
}
