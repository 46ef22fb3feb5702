package cron

import (
	"fmt"
	"strings"
	"time"
)

// zones are the time zones that LoadLocation knows, each with its rule as POSIX
// writes it: names, hours west of Greenwich, and when summer time begins and ends.
//
// The real thing has the whole IANA database, 400 kB of it, and with it the past:
// here a zone always had the rule that it has now.
var zones = map[string]string{
	"UTC": "UTC0", "Etc/UTC": "UTC0", "GMT": "GMT0", "Etc/GMT": "GMT0",
	"Europe/London": "GMT0BST,M3.5.0/1,M10.5.0", "Europe/Dublin": "GMT0IST,M3.5.0/1,M10.5.0", "Europe/Lisbon": "WET0WEST,M3.5.0/1,M10.5.0",
	"Europe/Berlin": cet, "Europe/Paris": cet, "Europe/Madrid": cet, "Europe/Rome": cet, "Europe/Amsterdam": cet, "Europe/Brussels": cet,
	"Europe/Vienna": cet, "Europe/Zurich": cet, "Europe/Stockholm": cet, "Europe/Oslo": cet, "Europe/Copenhagen": cet, "Europe/Prague": cet,
	"Europe/Warsaw": cet, "Europe/Budapest": cet,
	"Europe/Athens": eet, "Europe/Helsinki": eet, "Europe/Kyiv": eet, "Europe/Istanbul": "<+03>-3", "Europe/Moscow": "MSK-3",
	"America/New_York": "EST5EDT,M3.2.0,M11.1.0", "America/Toronto": "EST5EDT,M3.2.0,M11.1.0", "America/Chicago": "CST6CDT,M3.2.0,M11.1.0",
	"America/Denver": "MST7MDT,M3.2.0,M11.1.0", "America/Phoenix": "MST7", "America/Los_Angeles": "PST8PDT,M3.2.0,M11.1.0",
	"America/Sao_Paulo": "<-03>3", "America/Argentina/Buenos_Aires": "<-03>3", "America/Bogota": "<-05>5", "America/Mexico_City": "CST6",
	"Asia/Tokyo": "JST-9", "Asia/Seoul": "KST-9", "Asia/Shanghai": "CST-8", "Asia/Hong_Kong": "HKT-8", "Asia/Taipei": "CST-8",
	"Asia/Singapore": "<+08>-8", "Asia/Kolkata": "IST-5:30", "Asia/Dubai": "<+04>-4", "Asia/Jakarta": "WIB-7", "Asia/Bangkok": "<+07>-7",
	"Asia/Ho_Chi_Minh": "<+07>-7", "Asia/Manila": "PST-8", "Asia/Kathmandu": "<+0545>-5:45",
	"Australia/Sydney": "AEST-10AEDT,M10.1.0,M4.1.0/3", "Australia/Brisbane": "AEST-10", "Australia/Perth": "AWST-8",
	"Pacific/Auckland":    "NZST-12NZDT,M9.5.0,M4.1.0/3",
	"Africa/Johannesburg": "SAST-2", "Africa/Lagos": "WAT-1", "Africa/Nairobi": "EAT-3",
}

const (
	cet = "CET-1CEST,M3.5.0,M10.5.0/3"
	eet = "EET-2EEST,M3.5.0/3,M10.5.0/4"
)

// LoadLocation finds a time zone. Its error is that of Go's time.LoadLocation,
// also for zones that exist and are not in the table.
func LoadLocation(name string) (*time.Location, error) {
	if name == "" || name == "UTC" {
		return time.UTC, nil
	}
	if strings.Contains(name, "..") || name[0] == '/' || name[0] == '\\' {
		return nil, fmt.Errorf("time: invalid location name")
	}
	rule, ok := zones[name]
	if !ok {
		return nil, fmt.Errorf("unknown time zone %s", name)
	}
	return time.LoadLocationFromTZData(name, tzData(rule))
}

// tzData is a zone file (RFC 9636) that holds no transitions, only the rule for
// what comes after the last of them. A block of one zone has to be there, twice:
// once in the old form, once in the new one.
func tzData(rule string) []byte {
	header := "TZif2" + strings.Repeat("\x00", 15) +
		"\x00\x00\x00\x00" + // UT/local indicators
		"\x00\x00\x00\x00" + // standard/wall indicators
		"\x00\x00\x00\x00" + // leap seconds
		"\x00\x00\x00\x00" + // transitions
		"\x00\x00\x00\x01" + // zones
		"\x00\x00\x00\x04" // letters of their names
	block := "\x00\x00\x00\x00" + "\x00" + "\x00" + "UTC\x00"
	return []byte(header + block + header + block + "\n" + rule + "\n")
}
