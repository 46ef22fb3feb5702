package duration

import (
	"testing"
	"time"
)

func TestHumanDuration(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-2 * time.Second: "<invalid>", -time.Second: "0s", -time.Millisecond: "0s", 0: "0s", 1999 * time.Millisecond: "1s", 119 * time.Second: "119s",
		2 * time.Minute: "2m", 200 * time.Second: "3m20s", 10 * time.Minute: "10m", 179 * time.Minute: "179m",
		3 * time.Hour: "3h", 5*time.Hour + 10*time.Minute: "5h10m", 8 * time.Hour: "8h", 47 * time.Hour: "47h",
		2 * day: "2d", 51 * time.Hour: "2d3h", 8 * day: "8d", 729 * day: "729d", 730 * day: "2y", 731 * day: "2y1d", 8 * 365 * day: "8y", 9 * 365 * day: "9y",
	} {
		if got := HumanDuration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
