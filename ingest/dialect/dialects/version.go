package dialects

// Version is the version of all decoders together. It is stored with every stream, and "tapedeck
// redecode --all" decodes streams with a lower version again. Raise it by one in a release whose
// decoders derive other facts, envelopes or titles from frames that an earlier release could
// record: a corrected or extended dialect, a dialect for streams that were generic before,
// another order of recognition. Do not raise it for a change that leaves all facts as they were.
const Version uint32 = 3
