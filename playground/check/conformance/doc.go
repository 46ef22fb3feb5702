// Package conformance holds the whole control plane against recordings of a
// real Kubernetes 1.36.3 (testdata): the transcripts are played command by
// command to a cluster of ours, what kubectl says is compared line by line,
// and so is the API server's audit trail, who wrote what with which answer.
//
// It has tests only; package transcript reads the recordings, and playground/httpapi/conformance plays them with the real
// kubectl.
//
// The real thing is concurrent, so an audit trail is not compared as a list.
// Compared are, for each phase (from one command of kubectl's to the next),
// how often each component did what with which answer, and, over the whole
// trail, what comes before what for each object. Two kinds of writes are held
// to a range, because their number depends on timing in the real thing too:
// status updates (several changes that arrive together are written once) and
// events (they are written behind, in the background, so the last ones of a
// phase may fall into the next).
//
// The recordings have KWOK in the kubelet's place, so the kubelet's writes are
// left out: "kubelet(simulated)" there, "kubelet/NODE" here. Nodes and Leases
// are not in the recordings.
//
// Commands are typed as they were recorded, word for word, and what they print
// is compared with everything taken out that differs from run to run: ages,
// addresses, generated names, the width of columns.
//
// Absent: a manifest with a key twice, which the host's YAML refuses.
package conformance
