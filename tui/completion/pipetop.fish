# fish completion for pipetop. The candidates come from pipetop itself.

# Files that match what was typed and have the given ending, and directories.
function __pipetop_files -a typed ending
    set -l flag (string match -r '^--[^=]*=' -- $typed)
    for file in (__fish_complete_path (string replace -- "$flag" '' "$typed"))
        set -l name (string replace -r '\t.*' '' -- $file)
        if string match -q '*/' -- $name; or string match -q "*$ending" -- $name
            echo "$flag$file"
        end
    end
end

function __pipetop_candidates
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l typed (commandline -ct)
    for line in ($program complete-words $words[2..-1] "$typed" 2>/dev/null)
        if string match -q ':files *' -- $line
            __pipetop_files "$typed" (string replace ':files ' '' -- $line)
        else
            echo $line
        end
    end
end

complete -c pipetop -f -k -a '(__pipetop_candidates)'
