// Package scene says what a moment looks like: trace → shapes.
//
// Go decides what is where; the page only draws the shapes and moves them from
// one moment to the next, by their ids. The build prints the same shapes as SVG
// (svg.go). There are two layouts of the same content: wide (landscape) and
// narrow (a telephone held upright).
//
// A Stage folds a trace, event by event, and keeps the shapes of that moment.
// What it draws follows from the events up to there and from nothing else: the
// same prefix gives the same scene, however it was reached (At). Things keep
// their place: columns and nodes are ordered by name, and what comes and goes
// takes the lowest free slot of its area and holds it.
//
// # The picture
//
// The API server is a band across the middle with the store inside it, because
// it alone speaks to the store. Whoever speaks to the API server has a straight
// wire to it. Above: the user, controllers (informer cache, work queue,
// workers) and the scheduler (queues, scheduling cycle). Below: nodes, with the
// Pods that are bound to them. A Pod is one shape for its whole life, and moves:
// API server → scheduler → node.
//
// Left out: revisions of Leases and Events (the store's number still counts
// them, and its label says how many are not shown), informer caches other than controllers', and volumes.
//
// # From shape to SVG
//
// The reference is SVG (svg.go); the page draws the same elements with the same
// classes, and testdata/fixture.json (a scene, a time, and the expected text)
// holds both to it.
//
// The root is
//
//	<svg class="kw-scene kw-wide" viewBox="0 0 WIDTH HEIGHT" role="img" aria-label="NAME">
//
// with one <g class="kw-layer kw-z0"> for each layer 0 … 4 (Shape.Z), always all
// five. Shapes of a layer do not overlap (packets aside), so order within a
// layer carries no meaning; SVG prints them by id. The way of a packet between
// machines (role route) is a line of the packets' layer.
//
// Every shape carries the classes "kw-box role-ROLE state-STATE" ("kw-line",
// "kw-packet", "kw-cells"; no state class when there is no state), "is-fresh" when it is
// fresh, data-id, and data-about when it is about something. A title is
// the phrase of Word where there is one, or else Title; a detail that of DetailWord
// or else Detail. {1}, {2} … in a phrase are the parts of Args, between "|".
//
//	box     <g class transform="translate(X Y)">
//	          <rect width="W" height="H" rx="R"/>        not for labels
//	          <text class="mark">, <text class="title">, <text class="detail">   those that are not empty
//	line    <path class d="PATH"/>
//	packet  <g class transform="translate(x y)">
//	          request <circle r="5"/>
//	          reply   <rect x="-5" y="-5" width="10" height="10" rx="2"/>
//	          watch   <path d="M0 -7L7 0L0 7L-7 0Z"/>
//	          <text class="title" x="11" y="4">          x="-11" text-anchor="end" when Shape.X < 0
//
//	cells   <g class transform="translate(X Y)">
//	          <path class="PART" stroke-width="HEIGHT" stroke-dasharray="SIDE 1" d="Mx yhLENGTH…"/>
//
// Cells (cells.go) are dashed lines, a line for each run of equal cells in a row,
// SIDE being Pitch - 1: first the squares themselves (part cell), then how full they
// are, and signs for nodes that take no Pods, in the order of cellParts, the lower
// ones first. y is the line's middle, in tenths.
//
// Where a box's texts stand (x y of the baseline; "end" is text-anchor="end")
// depends on the form of its role, see FormOf. h is H/2 rounded down:
//
//	frame   R 10; mark 12 20; title 12 20 (28 20 after a mark); detail W-12 20 end
//	label   no rect; mark 0 H-4; title 0 H-4 (14 H-4 after a mark); detail W H-4 end
//	chip    R 5, or H/2 rounded down if less; with a detail and H ≥ 30: mark 7 h-3, title 7 h-3 (20 h-3 after a mark),
//	        detail as title but h+12; else mark 7 h+4, title 7 h+4 (20 h+4), detail W-7 h+4 end
//	bar     R H/2 rounded down; no text
//
// A packet is at the point of its line's path at the fraction
// (now − From) / (To − From), held between 0 and 1, of the path's length, from
// the end when Back, moved by Shape.X and Shape.Y. Paths are polylines:
// "M x y L x y …". x and y are rounded to tenths, half up.
package scene
