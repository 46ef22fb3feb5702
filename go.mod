module kubewalk

go 1.26
