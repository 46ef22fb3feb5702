package sitebuild

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kubewalk/generator/book/palette"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/problem"
	"kubewalk/site/pages"
)

// identify gives the site what makes it this book's: colours, icon and sign. What leads to its pages is linked later.
func (b *build) identify(a *pages.Assets) error {
	own, problems := &b.book.Site, problem.List{}
	if accent := own.Theme.Accent; accent != nil && accent.Light != "" && accent.Dark != "" {
		css := palette.CSS(accent.Light, accent.Dark)
		a.Styles = append(a.Styles, b.site.Link("/"+b.tree.PutHashed(headers.Assets+"/colours.css", []byte(css))))
		b.stillStyle += css
		// The theme's icon is of its accent.
		if icon, ok := b.tree.Get(strings.TrimPrefix(a.Icon, b.site.Link("/"))); ok && own.Icon == "" {
			icon = bytes.ReplaceAll(icon, []byte(palette.Default), []byte(accent.Light))
			a.Icon = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/icon.svg", icon))
		}
	}
	put := func(key, file string, address *string) {
		if file == "" {
			return
		}
		data, err := regularfile.Read(b.options.Content, filepath.Join(b.options.Content, filepath.FromSlash(file)))
		if err != nil {
			cure := "it is looked for beside site.yaml"
			if !errors.Is(err, fs.ErrNotExist) {
				cure = err.Error()
			} else if near := b.besideSite(file); near != "" {
				cure = near
			}
			problems.Add(b.book.At(key, fmt.Sprintf("%s %q is not there", key, file), cure))
			return
		}
		*address = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/"+key+filepath.Ext(file), data))
	}
	put("icon", own.Icon, &a.Icon)
	put("logo", own.Logo, &b.site.Logo)
	b.site.MadeWith, b.site.Home = own.SaysMadeWith(), own.HomeSections()
	return problems.Err()
}

// accent is the book's own colour on light pages; "" for the theme's.
func (b *build) accent() string {
	if a := b.book.Site.Theme.Accent; a != nil {
		return a.Light
	}
	return ""
}

// besideSite is a cure that names the file beside site.yaml that was probably meant.
func (b *build) besideSite(file string) string {
	entries, err := os.ReadDir(b.options.Content)
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	if problem.Nearest(file, names) == "" {
		return ""
	}
	return problem.DidYouMean(file, names)
}
