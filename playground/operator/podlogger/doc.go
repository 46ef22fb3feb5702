// Package podlogger is the smallest program that is a whole controller,
// component "workqueue-example": it has one informer, one queue and one worker,
// and for each Pod of a namespace whose key it takes it prints one line.
//
// Its names are those of client-go's example, so that one can be read beside
// the other. Two things are added, so that there is something to see: printing
// a line takes time, and it fails while the disk behind stdout is full.
//
// Simplified: the informer is a shared one, whose handlers run in a process of
// their own; upstream's calls them where it changes its cache. A program that
// is told to stop ends at once, so nothing has to shut the queue down.
//
// Upstream: k8s.io/client-go/examples/workqueue.
package podlogger
