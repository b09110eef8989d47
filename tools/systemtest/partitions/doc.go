// Package partitions tests delivery over partitions on a JetStream cluster of three nodes, each a
// process of its own: leaders of partitions are killed under load, a node is away, and the store of
// one is full. Every frame is stored once and reaches each follower
// once.
package partitions
