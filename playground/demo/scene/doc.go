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
// # The views
//
// Options say what the picture shows. It is the whole cluster (clusterView), thousands of Pods of which commits alone
// were kept (objectsView), nodes as cells where only counts were kept (totalsView), or one part from inside: a controller
// (controllerView), the scheduler (schedulerView), the garbage collector's graph (collectorView), a write in the API server
// (requestView), the store (storeView), a Pod inside its kubelet (podView), or a request on its way (packetView). A Picture has a
// stage for each view that a run shows, and goes from one to the next (Options.Moves). All of them
// have a size in units that are about pixels, and are as small as what stands beside a text: 14 units for what is
// read, 17 for names, 36 for a number that matters (32 if narrow). No name in them is cut: it is
// one of several, from long to short, or none. What they know comes from the same events: what a
// controller has in its cache, what it logs about its expectations, what the scheduler finds out about nodes.
//
// # The picture of the whole cluster
//
// The API server is a band across the middle, because everybody speaks to it and to nobody else; it shows the objects that
// ask for something, and the newest write. Above: up to MostInsides controllers with their numbers and queues, the user, the
// scheduler, and all others as one. Below: nodes, with the Pods that are bound to them, and what kube-proxy has written there.
// Packets between machines go along a street at the nodes' lower edge. A Pod is one shape for its whole life, and moves.
//
// Left out: Leases and Events (the revision still counts them), and what has no room, which is counted.
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
// Every shape carries the classes "kw-box role-ROLE state-STATE form-FORM" ("kw-line",
// "kw-packet", "kw-cells"; no state class when there is no state, and no form class unless the shape says its form),
// "is-fresh" when it is fresh, data-id, and data-about when it is about something. A title is
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
//	          of form pill, instead: <rect x="-W/2" y="-H/2" width="W" height="H" rx="H/2"/>, title 0 5 middle
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
// depends on its form, or else the form of its role, see FormOf. h is H/2 rounded down:
//
//	frame   R 10; mark 12 20; title 12 20 (28 20 after a mark); detail W-12 20 end
//	label   no rect; mark 0 H-4; title 0 H-4 (14 H-4 after a mark); detail W H-4 end
//	chip    R 5, or H/2 rounded down if less; with a detail and H ≥ 30: mark 7 h-3, title 7 h-3 (20 h-3 after a mark),
//	        detail as title but h+12; else mark 7 h+4, title 7 h+4 (20 h+4), detail W-7 h+4 end
//	bar     R H/2 rounded down; no text
//	panel   R 14; mark 14 25; title 14 25 (34 25 after a mark); detail W-14 25 end
//	text    no rect; mark 0 H-5; title 0 H-5 (18 after a mark); detail W H-5 end
//	number  no rect; detail 0 14; title 0 H-4
//	tile    R 7, or H/2 if less; with a mark: mark 8 h+5, title 25 h+5, detail W-8 h+5 end; else title W/2 h+5 middle
//	pill    R H/2; title W/2 h+5 middle
//
// A packet is at the point of its line's path at the fraction
// (now − From) / (To − From), held between 0 and 1, of the path's length, from
// the end when Back, moved by Shape.X and Shape.Y. A pill is so far from both ends
// at least that it reaches 4 units over the boxes there. Paths are polylines:
// "M x y L x y …". x and y are rounded to tenths, half up.
package scene
