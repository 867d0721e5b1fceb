Creator "someone"
# a comment
graph [
  directed 0
  node [ id 10 label "Ann &amp; Co" value "l" graphics [ x 1 y [ z 2 ] ] age 3 ]
  node [ id 20 label "Bob" value "c" age 4 ]
  node [ id 30 label "Eve" age 5 ]
  edge [ source 10 target 20 weight 2 ]
  edge [ source 30 target 20 ]
]
