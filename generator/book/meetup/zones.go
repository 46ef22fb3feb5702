package meetup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// rules are those of the IANA time zone database, as Go has them (gen writes the
// file). time.LoadLocation would take those of the machine first, and a build has
// to be the same on every machine.
//
//go:embed zones.tar.gz
var rules []byte

// zones are the rules by the zone's name. They are read when a meetup names one.
var zones = sync.OnceValue(func() map[string][]byte {
	uncompressed, err := gzip.NewReader(bytes.NewReader(rules))
	if err != nil {
		panic("meetup: zones: " + err.Error()) // they are part of the program
	}
	out := map[string][]byte{}
	archive := tar.NewReader(uncompressed)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err == nil {
			out[h.Name], err = io.ReadAll(archive)
		}
		if err != nil {
			panic("meetup: zones: " + err.Error())
		}
	}
})

// zone is a time zone by its name; ok is false when there is none.
func zone(name string) (*time.Location, bool) {
	data, ok := zones()[name]
	if !ok {
		return nil, false
	}
	at, err := time.LoadLocationFromTZData(name, data)
	if err != nil {
		panic("meetup: zone " + name + ": " + err.Error())
	}
	return at, true
}

// zoneNames are those that there are.
func zoneNames() []string { return slices.Sorted(maps.Keys(zones())) }
